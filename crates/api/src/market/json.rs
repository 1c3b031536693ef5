//! JSON written by hand: series are long, and money must not pass through
//! floating point.

use std::io::Write as _;

/// Digits after the point of USD that are counted in hundred-millionths.
pub(super) const USD_DECIMALS: u8 = 8;

/// The shortest text that reads back as the same number; `null` if there is no
/// number.
pub(super) fn write_float(out: &mut Vec<u8>, value: f64) {
    // Writing to memory cannot fail, here and below.
    let _ = serde_json::to_writer(out, &value);
}

/// An amount in units of which `10^decimals` are one, exactly and without
/// needless zeros.
pub(super) fn write_decimal(out: &mut Vec<u8>, units: u128, decimals: u8) {
    let decimals = usize::from(decimals);
    let _ = write!(out, "{units:0width$}", width = decimals + 1);
    if decimals == 0 {
        return;
    }
    out.insert(out.len() - decimals, b'.');
    while out.last() == Some(&b'0') {
        out.pop();
    }
    if out.last() == Some(&b'.') {
        out.pop();
    }
}

/// A text, quoted.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    let _ = serde_json::to_writer(out, text);
}

/// An object that is being written.
pub(super) struct Record<'a> {
    out: &'a mut Vec<u8>,
    next: u8,
}

impl<'a> Record<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, next: b'{' }
    }

    /// Writes a key; its value is to be written behind it. Keys are words of
    /// the API, which need no escaping.
    pub(super) fn key(&mut self, key: &str) -> &mut Vec<u8> {
        self.out.push(self.next);
        self.next = b',';
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        write_text(self.key(key), value);
    }

    pub(super) fn optional_text(&mut self, key: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(key, value),
            None => self.null(key),
        }
    }

    /// Quotes what needs no escaping, such as a date.
    pub(super) fn plain(&mut self, key: &str, value: &[u8]) {
        let out = self.key(key);
        out.push(b'"');
        out.extend_from_slice(value);
        out.push(b'"');
    }

    pub(super) fn float(&mut self, key: &str, value: f64) {
        write_float(self.key(key), value);
    }

    pub(super) fn optional_float(&mut self, key: &str, value: Option<f64>) {
        match value {
            Some(value) => self.float(key, value),
            None => self.null(key),
        }
    }

    pub(super) fn decimal(&mut self, key: &str, units: u128, decimals: u8) {
        write_decimal(self.key(key), units, decimals);
    }

    pub(super) fn whole(&mut self, key: &str, value: impl Into<u128>) {
        self.decimal(key, value.into(), 0);
    }

    pub(super) fn truth(&mut self, key: &str, value: bool) {
        let text: &[u8] = if value { b"true" } else { b"false" };
        self.key(key).extend_from_slice(text);
    }

    pub(super) fn null(&mut self, key: &str) {
        self.key(key).extend_from_slice(b"null");
    }

    pub(super) fn end(self) {
        if self.next == b'{' {
            self.out.push(b'{');
        }
        self.out.push(b'}');
    }
}

/// An array that is being written.
pub(super) struct List {
    out: Vec<u8>,
}

impl List {
    pub(super) fn new() -> Self {
        Self { out: vec![b'['] }
    }

    /// Where the next item is to be written.
    pub(super) fn item(&mut self) -> &mut Vec<u8> {
        if self.out.len() > 1 {
            self.out.push(b',');
        }
        &mut self.out
    }

    pub(super) fn end(mut self) -> Vec<u8> {
        self.out.push(b']');
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn decimal(units: u128, decimals: u8) -> String {
        let mut out = Vec::new();
        write_decimal(&mut out, units, decimals);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn amounts_are_exact_and_without_needless_zeros() {
        for (units, decimals, text) in [
            (0, 0, "0"),
            (0, 18, "0"),
            (1, 0, "1"),
            (100, 0, "100"),
            (100, 2, "1"),
            (1, 18, "0.000000000000000001"),
            (1_500_000, 6, "1.5"),
            (10_000_000_000, 8, "100"),
            (u128::MAX, 36, "340.282366920938463463374607431768211455"),
            (u128::MAX, 0, "340282366920938463463374607431768211455"),
        ] {
            assert_eq!(decimal(units, decimals), text);
        }
    }

    #[test]
    fn records_and_lists_are_json() {
        let mut list = List::new();
        Record::new(list.item()).end();
        let mut record = Record::new(list.item());
        record.text("text", "a\"\n");
        record.optional_text("none", None);
        record.plain("date", b"1970-01-01");
        record.float("nan", f64::NAN);
        record.optional_float("half", Some(0.5));
        record.decimal("tenth", 1, 1);
        record.whole("whole", 7_u8);
        record.truth("truth", true);
        record.end();
        let read: Value = serde_json::from_slice(&list.end()).unwrap();
        let expected = json!([{}, {
            "text": "a\"\n", "none": null, "date": "1970-01-01", "nan": null, "half": 0.5,
            "tenth": 0.1, "whole": 7, "truth": true
        }]);
        assert_eq!(read, expected);
        assert_eq!(List::new().end(), b"[]");
    }

    /// The units that a text of a decimal means.
    fn units(text: &str, decimals: u8) -> u128 {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let width = usize::from(decimals);
        format!("{whole}{part:0<width$}").parse().unwrap()
    }

    proptest! {
        #[test]
        fn an_amount_reads_back_as_itself(amount in any::<u128>(), shift in 0..128_u32, decimals in 0..=36_u8) {
            let amount = amount >> shift;
            let text = decimal(amount, decimals);
            prop_assert_eq!(units(&text, decimals), amount);
            prop_assert!(!text.contains('.') || !text.ends_with(['0', '.']));
            prop_assert!(serde_json::from_str::<f64>(&text).is_ok());
        }

        #[test]
        fn a_price_reads_back_as_itself(bits in any::<u64>()) {
            let price = f64::from_bits(bits);
            let mut out = Vec::new();
            write_float(&mut out, price);
            let text = String::from_utf8(out).unwrap();
            if price.is_finite() {
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            } else {
                prop_assert_eq!(text, "null");
            }
        }
    }
}
