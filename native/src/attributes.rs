//! The attributes of a start tag (HTML 13.2.5.32-13.2.5.40), and the text of their values.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::entities::entity;

/// Attributes of one element; more are not read, unless they are short.
const MAX_ATTRIBUTES: usize = 256;
/// Characters of attributes that are read whatever their number.
const SHORT_ENOUGH: usize = 4096;

pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

/// What ends the name of a tag: white space, `/`, `>`.
pub const ENDS_TAG_NAME: u8 = 1;
/// What ends the name of an attribute: these, and `=`.
const ENDS_NAME: u8 = 2;
/// What ends a value without quotes: white space, `>`.
const ENDS_VALUE: u8 = 4;

/// What each byte ends. A table: these are looked up for most bytes within tags.
const ENDS: [u8; 256] = {
    let mut table = [0; 256];
    let spaces = b" \t\n\x0c\r";
    let mut index = 0;
    while index < spaces.len() {
        table[spaces[index] as usize] = ENDS_TAG_NAME | ENDS_NAME | ENDS_VALUE;
        index += 1;
    }
    table[b'>' as usize] = ENDS_TAG_NAME | ENDS_NAME | ENDS_VALUE;
    table[b'/' as usize] = ENDS_TAG_NAME | ENDS_NAME;
    table[b'=' as usize] = ENDS_NAME;
    table
};

/// How many bytes stand in front of the first that ends something.
pub fn length_until(text: &[u8], ends: u8) -> usize {
    text.iter().position(|&byte| ENDS[usize::from(byte)] & ends != 0).unwrap_or(text.len())
}

/// Iterates over the attributes that begin at a position, up to the `>` of their tag or the end of the text.
pub struct Attributes<'a> {
    text: &'a [u8],
    position: usize,
    left: usize,
}

impl<'a> Attributes<'a> {
    /// The attributes of a tag, as far as they are read.
    pub fn of(written: &'a [u8]) -> Self {
        let is_short =
            written.len() <= SHORT_ENOUGH || String::from_utf8_lossy(written).chars().count() <= SHORT_ENOUGH;
        Attributes { text: written, position: 0, left: if is_short { usize::MAX } else { MAX_ATTRIBUTES } }
    }

    /// Where the attributes end that begin at a position: at a `>`, or with the text.
    pub fn end_of_all(text: &'a [u8], position: usize) -> usize {
        let mut attributes = Attributes { text, position, left: usize::MAX };
        while attributes.next().is_some() {}
        attributes.position
    }

    fn skip_spaces(&self, mut position: usize) -> usize {
        while self.text.get(position).is_some_and(|&byte| is_space(byte)) {
            position += 1;
        }
        position
    }

    /// The value that begins at a position, and where it ends. A quote that is never closed takes all that is left.
    fn value(&self, position: usize) -> (&'a [u8], usize) {
        let text = self.text;
        match text.get(position) {
            Some(&quote @ (b'"' | b'\'')) => {
                let rest = &text[position + 1..];
                match memchr(quote, rest) {
                    Some(length) => (&rest[..length], position + length + 2),
                    None => (rest, text.len()),
                }
            }
            _ => {
                let rest = &text[position.min(text.len())..];
                let length = length_until(rest, ENDS_VALUE);
                (&rest[..length], position + length)
            }
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    /// Name and value as written; no value is an empty one.
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        let mut start = self.position;
        while text.get(start).is_some_and(|&byte| is_space(byte) || byte == b'/') {
            start += 1;
        }
        self.position = start;
        if text.get(start).is_none_or(|&byte| byte == b'>') || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let rest = &text[start + 1..]; // the first character of a name may be `=`
        let length = length_until(rest, ENDS_NAME);
        let name_end = start + 1 + length;
        let name = &text[start..name_end];
        let equals = self.skip_spaces(name_end);
        if text.get(equals) != Some(&b'=') {
            self.position = equals;
            return Some((name, b""));
        }
        let (value, end) = self.value(self.skip_spaces(equals + 1));
        self.position = end;
        Some((name, value))
    }
}

/// The text of a value: decoded, NUL replaced, character references resolved.
pub fn text_of(value: &[u8]) -> Cow<'_, str> {
    // Nearly all values are UTF-8, which this tells faster than what repairs them.
    let text = std::str::from_utf8(value).map_or_else(|_| String::from_utf8_lossy(value), Cow::Borrowed);
    if memchr2(0, b'&', text.as_bytes()).is_none() {
        return text;
    }
    Cow::Owned(unescape(&text.replace('\0', "\u{fffd}")))
}

/// Character references as they are read in attributes, where `&copy=1` and `&copyright` are none (13.2.5.73).
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..found]);
        let reference = &rest[found..];
        let length = match reference.as_bytes().get(1) {
            Some(b'#') => push_numbered(&mut out, reference),
            Some(byte) if byte.is_ascii_alphabetic() => push_named(&mut out, reference),
            _ => 0,
        };
        if length == 0 {
            out.push('&');
        }
        rest = &reference[length.max(1)..];
    }
    out.push_str(rest);
    out
}

/// How many bytes of `text` the reference takes at whose `&` it begins; 0 if it is none.
fn push_named(out: &mut String, text: &str) -> usize {
    let bytes = text.as_bytes();
    let end = 1 + bytes[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let end = match bytes.get(end) {
        Some(b'=') => return 0,
        Some(b';') => end + 1,
        _ => end,
    };
    if entity(&text[1..end], out) { end } else { 0 }
}

/// The same for `&#…`.
fn push_numbered(out: &mut String, text: &str) -> usize {
    let bytes = text.as_bytes();
    let (start, radix) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (3, 16) } else { (2, 10) };
    let mut number: u32 = 0;
    let mut end = start;
    while let Some(digit) = bytes.get(end).and_then(|&byte| char::from(byte).to_digit(radix)) {
        number = number.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == start {
        return 0;
    }
    out.push(character(number));
    end + usize::from(bytes.get(end) == Some(&b';'))
}

/// The character of a numeric reference (13.2.5.80): C1 controls are meant as windows-1252.
fn character(number: u32) -> char {
    const C1: [u16; 32] = [
        0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d,
        0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
        0x17e, 0x178,
    ];
    let meant = match number {
        0 => 0xfffd,
        0x80..=0x9f => u32::from(C1[number as usize - 0x80]),
        _ => number,
    };
    char::from_u32(meant).unwrap_or(char::REPLACEMENT_CHARACTER)
}
