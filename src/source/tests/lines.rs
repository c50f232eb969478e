use super::super::Lines;

fn at(text: &str, byte: usize) -> (u32, u32) {
    Lines::new(text).line_column(text, byte as u32)
}

#[test]
fn counts_lines_and_characters() {
    let text = "ab\r\ncd\rx\n\né→😀z";
    let cases = [
        ("ab", (1, 1)),
        ("b", (1, 2)),
        ("\r\n", (1, 3)),
        ("\n", (1, 4)),
        ("cd", (2, 1)),
        // A lone carriage return ends no line.
        ("x", (2, 4)),
        ("\né", (3, 1)),
        ("é", (4, 1)),
        ("→", (4, 2)),
        ("😀", (4, 3)),
        ("z", (4, 4)),
    ];
    for (part, expected) in cases {
        assert_eq!(at(text, text.find(part).unwrap()), expected, "{part:?}");
    }
    assert_eq!(at(text, text.len()), (4, 5));
    assert_eq!(Lines::new(text).count(), 4);
}

#[test]
fn keeps_to_the_text() {
    assert_eq!(at("", 0), (1, 1));
    assert_eq!(at("", 9), (1, 1));
    assert_eq!(at("ab", 1_000), (1, 3));
    assert_eq!(at("ab\n", 1_000), (2, 1));
    assert_eq!(at("é", u32::MAX as usize), (1, 2));
    // Inside a character is that character.
    assert_eq!(at("a😀b", 3), (1, 2));
}

#[test]
fn gives_a_byte_order_mark_no_column() {
    let text = "\u{feff}ab\nc";
    assert_eq!(at(text, 0), (1, 1));
    assert_eq!(at(text, 3), (1, 1));
    assert_eq!(at(text, 4), (1, 2));
    assert_eq!(at(text, 6), (2, 1));
}

#[test]
fn agrees_with_plain_counting_across_steps() {
    // Characters of 1 to 4 bytes, so that they lie across every multiple of the step.
    for unit in ["aé→😀", "é", "a", "→x\n"] {
        let text = unit.repeat(12_300 / unit.len());
        let lines = Lines::new(&text);
        for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = &text[..byte];
            let line = before.matches('\n').count() as u32 + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() as u32 + 1;
            assert_eq!(lines.line_column(&text, byte as u32), (line, column), "{unit} {byte}");
        }
    }
}
