//! Enums whose values are words, in columns and on the wire.

use thiserror::Error;

/// A text is none of the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of {}", .known.join(", "))]
pub struct UnknownWord {
    /// The words.
    pub known: &'static [&'static str],
}

/// An enum, each value of which is written as one word.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$value),*];

            /// The word of every value.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$value),)*
                    _ => Err($crate::words::UnknownWord { known: Self::WORDS }),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::UnknownWord;
    use crate::{
        Debtor, EndReason, LeaseState, ListingStatus, Mode, PaymentKind, PaymentStatus,
        StrayReason, Tier,
    };

    #[test]
    fn words_are_read_as_they_are_written() {
        macro_rules! round_trip {
            ($($name:ident)*) => {$(
                for value in $name::ALL {
                    assert_eq!(value.to_string().parse(), Ok(value));
                }
            )*};
        }
        round_trip!(Mode LeaseState PaymentKind PaymentStatus EndReason StrayReason Tier);
        round_trip!(Debtor ListingStatus);
        let known = LeaseState::WORDS;
        assert_eq!("Active".parse::<LeaseState>(), Err(UnknownWord { known }));
        let told = "gold".parse::<Tier>().unwrap_err().to_string();
        assert_eq!(told, "must be one of economy, standard, performance");
    }
}
