//! Collects everything that is wrong with a request, so that a caller can
//! mend it at once.

/// Problems that are told; more would not help anyone.
const MAX_PROBLEMS: usize = 20;

/// Characters of a caller's value that are repeated in a message: an address
/// has up to 66.
const MAX_SHOWN_CHARS: usize = 80;

/// What is wrong with a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Adds one, unless there are as many as are told.
    pub fn add(&mut self, message: String) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(message);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_messages(self) -> Vec<String> {
        self.0
    }
}

impl From<String> for Problems {
    fn from(message: String) -> Self {
        Self(vec![message])
    }
}

/// A caller's value, quoted and cut, fit for a message.
pub(crate) fn shown(value: &str) -> String {
    match value.char_indices().nth(MAX_SHOWN_CHARS) {
        None => format!("{value:?}"),
        Some((end, _)) => format!("{:?}…", value.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_told_in_order_up_to_a_limit() {
        assert!(Problems::default().none().is_ok());
        let mut problems = Problems::default();
        (0..100).for_each(|n| problems.add(n.to_string()));
        let messages = problems.into_messages();
        assert_eq!(messages.len(), MAX_PROBLEMS);
        assert_eq!(messages[1], "1");
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        assert_eq!(shown("a\"\n"), r#""a\"\n""#);
        let (longest, longer) = ("é".repeat(80), "é".repeat(81));
        assert_eq!(shown(&longest), format!("{longest:?}"));
        assert_eq!(shown(&longer), format!("{longest:?}…"));
    }
}
