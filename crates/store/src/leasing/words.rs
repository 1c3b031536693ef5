//! Words that columns hold.

use leasing::UnknownWord;
use std::{fmt, str::FromStr};

/// A set of words, each for one value.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }

        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok(Self::$value),)*
                    _ => Err(UnknownWord),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// What a payment is for.
    PaymentKind {
        /// A new lease.
        Booking = "booking",
        /// More epochs of a lease.
        Extension = "extension",
        /// Money back.
        Refund = "refund",
    }
}

words! {
    /// Where a payment stands.
    PaymentStatus {
        /// It can be paid.
        Open = "open",
        /// It is paid, and what it is for was given.
        Settled = "settled",
        /// Nobody paid in time.
        Expired = "expired",
        /// What it was for ended before it was paid.
        Void = "void",
        /// It was paid when what it was for could no longer be given.
        Orphaned = "orphaned",
    }
}

words! {
    /// Why a lease ended.
    EndReason {
        /// Nobody paid in time.
        Unpaid = "unpaid",
        /// The trader gave it up before paying.
        Cancelled = "cancelled",
        /// Its epochs are over.
        Completed = "completed",
        /// The validator or staff ended it.
        Revoked = "revoked",
    }
}

words! {
    /// Why money that came was not taken for a lease.
    StrayReason {
        /// A wallet got less than its part.
        Short = "short",
        /// It came when its epochs were no longer free.
        Orphaned = "orphaned",
        /// The payment was settled by another transaction.
        Doubled = "doubled",
        /// It names several payments, or its payer is a wallet that is paid.
        Unclear = "unclear",
    }
}
