//! Which characters have no place in a name.

/// Whether a character is drawn as nothing, or changes how others are drawn:
/// control characters, all of Unicode's category Cf (such as U+200B and
/// U+202E), variation selectors, fillers, and what stands for the unreadable.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'..='\u{891}'
                | '\u{8e2}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffd}'
                | '\u{110bd}'
                | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_or_turns_text_around_is_hidden() {
        for character in [
            '\0',
            '\n',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{2028}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{fffb}',
            '\u{110bd}',
            '\u{e0041}',
        ] {
            assert!(is_hidden(character), "{character:?}");
        }
    }

    #[test]
    fn letters_of_any_script_marks_and_pictures_are_not() {
        for text in [
            "Ada 7-_.",
            "Ζωή",
            "אדה",
            "عَدَا",
            "愛達",
            "é",
            "e\u{301}",
            "🦀",
        ] {
            assert!(!text.chars().any(is_hidden), "{text}");
        }
    }
}
