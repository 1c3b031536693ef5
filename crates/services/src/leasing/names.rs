//! Names that people give to themselves and to their tokens.

use primitives::is_hidden;

/// The longest name.
const MAX_NAME_CHARS: usize = 64;

/// Whether a text can be a name: not only blanks, not too long, all of it visible.
pub(super) fn is_name(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MAX_NAME_CHARS
        && !text.chars().any(is_hidden)
}
