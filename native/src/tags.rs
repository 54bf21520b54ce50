//! The tags of a page that count, found in one pass over its bytes, in linear time and without a tree.
//!
//! The rules are those of `gossamer.extract.scanner`, tag for tag: the tokenizer of the HTML standard (13.2.5) with
//! comments, quotes, raw text elements and script escapes; nothing inside an inert `<template>` counts; `<x/>` closes
//! itself in SVG, MathML and XHTML. Bytes are UTF-8 or nearly so: everything that decides is ASCII, and no byte of a
//! longer character, whole or broken, can be taken for ASCII.

use memchr::{memchr, memchr_iter};

use crate::attributes::{Attributes, ENDS_TAG_NAME, is_space, length_until};

/// The elements that matter here: those that refer to something, and those that decide whether a tag counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    A,
    Area,
    Audio,
    Base,
    Embed,
    Frame,
    Html,
    Iframe,
    Img,
    Input,
    Link,
    Meta,
    Noembed,
    Noframes,
    Plaintext,
    Script,
    Source,
    Style,
    Foreign,
    ForeignEnd,
    Template,
    TemplateEnd,
    Textarea,
    Title,
    Track,
    Video,
    Xmp,
}

/// A start tag that counts.
#[derive(Debug)]
pub struct Tag<'a> {
    pub element: Element,
    /// The attributes as written.
    pub written: &'a [u8],
    /// Where the tag ends.
    pub end: usize,
    /// Where markup goes on: `end`, or behind the content of an element that holds none (script, title, …).
    pub resume: usize,
}

/// Iterates over the start tags of `Element`s that are not in inert templates. Ends with a tag that is never closed.
pub struct Tags<'a> {
    text: &'a [u8],
    position: usize,
    is_xml: bool,
    foreign_depth: usize,
    /// Of the open templates, whether each is inert.
    templates: Vec<bool>,
    inert: usize,
}

impl<'a> Tags<'a> {
    pub fn new(text: &'a [u8], is_xml: bool) -> Self {
        Tags { text, position: 0, is_xml, foreign_depth: 0, templates: Vec::new(), inert: 0 }
    }

    /// The next tag of an element, whether it counts or not.
    fn next_known(&mut self) -> Option<(Element, &'a [u8], usize)> {
        let text = self.text;
        loop {
            let start = self.position + find_near(b'<', text.get(self.position..)?)?;
            let first = *text.get(start + 1)?;
            let name_start = match first {
                b'/' if text.get(start + 2).is_some_and(u8::is_ascii_alphabetic) => start + 2,
                b'/' | b'!' | b'?' => {
                    self.position = end_of_declaration(text, start + 1);
                    continue;
                }
                _ if first.is_ascii_alphabetic() => start + 1,
                _ => {
                    self.position = start + 1;
                    continue;
                }
            };
            let name_end = name_start + length_until(&text[name_start..], ENDS_TAG_NAME);
            let element = element_of(&text[name_start..name_end], first == b'/');
            let end = if text.get(name_end) == Some(&b'>') { name_end } else { Attributes::end_of_all(text, name_end) };
            if end >= text.len() {
                return None;
            }
            self.position = end + 1;
            if let Some(element) = element {
                return Some((element, &text[name_end..end], end + 1));
            }
        }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let (element, written, end) = self.next_known()?;
            let is_closed = (self.is_xml || self.foreign_depth > 0) && written.ends_with(b"/");
            match element {
                Element::Foreign => self.foreign_depth += usize::from(!written.ends_with(b"/")),
                Element::ForeignEnd => self.foreign_depth = self.foreign_depth.saturating_sub(1),
                Element::Template => {
                    let is_inert = !has_shadow_root(written);
                    self.templates.push(is_inert);
                    self.inert += usize::from(is_inert);
                }
                Element::TemplateEnd => self.inert -= usize::from(self.templates.pop().unwrap_or(false)),
                _ if !is_closed => {
                    if let Some(name) = raw_text_name(element) {
                        self.position = end_of_raw_text(self.text, element, name, end);
                    }
                }
                _ => {}
            }
            if self.inert == 0 {
                return Some(Tag { element, written, end, resume: self.position });
            }
        }
    }
}

/// As `memchr`, where the byte is often the next or near: the first few are looked at without a call.
fn find_near(wanted: u8, text: &[u8]) -> Option<usize> {
    const NEAR: usize = 4;
    match text.iter().take(NEAR).position(|&byte| byte == wanted) {
        None if text.len() > NEAR => memchr(wanted, &text[NEAR..]).map(|found| NEAR + found),
        found => found,
    }
}

/// The start tags that matter, the commonest first, and the end tags.
const NAMES: [&[(&str, Element)]; 2] = [
    &[
        ("a", Element::A),
        ("img", Element::Img),
        ("link", Element::Link),
        ("meta", Element::Meta),
        ("script", Element::Script),
        ("area", Element::Area),
        ("audio", Element::Audio),
        ("base", Element::Base),
        ("embed", Element::Embed),
        ("frame", Element::Frame),
        ("html", Element::Html),
        ("iframe", Element::Iframe),
        ("input", Element::Input),
        ("math", Element::Foreign),
        ("noembed", Element::Noembed),
        ("noframes", Element::Noframes),
        ("plaintext", Element::Plaintext),
        ("source", Element::Source),
        ("style", Element::Style),
        ("svg", Element::Foreign),
        ("template", Element::Template),
        ("textarea", Element::Textarea),
        ("title", Element::Title),
        ("track", Element::Track),
        ("video", Element::Video),
        ("xmp", Element::Xmp),
    ],
    &[("svg", Element::ForeignEnd), ("math", Element::ForeignEnd), ("template", Element::TemplateEnd)],
];

/// By the first letter of a name (its last five bits) the lengths that it may have, a bit each. Most tags are none of
/// these, and nearly all of those are told by it: a twentieth of the time that a page takes.
const MAY_BE: [[u16; 32]; 2] = [lengths(NAMES[0]), lengths(NAMES[1])];

const fn lengths(names: &[(&str, Element)]) -> [u16; 32] {
    let mut table = [0; 32];
    let mut index = 0;
    while index < names.len() {
        let name = names[index].0.as_bytes();
        table[(name[0] & 0x1f) as usize] |= 1 << name.len();
        index += 1;
    }
    table
}

/// What an element is by the name of its tag, which begins with a letter.
fn element_of(name: &[u8], is_end: bool) -> Option<Element> {
    let tag = usize::from(is_end);
    if name.len() >= 16 || MAY_BE[tag][usize::from(name[0] & 0x1f)] & (1 << name.len()) == 0 {
        return None;
    }
    NAMES[tag].iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes())).map(|&(_, element)| element)
}

/// The name of an element whose content is no markup.
fn raw_text_name(element: Element) -> Option<&'static [u8]> {
    Some(match element {
        Element::Iframe => b"iframe",
        Element::Noembed => b"noembed",
        Element::Noframes => b"noframes",
        Element::Plaintext => b"plaintext",
        Element::Script => b"script",
        Element::Style => b"style",
        Element::Textarea => b"textarea",
        Element::Title => b"title",
        Element::Xmp => b"xmp",
        _ => return None,
    })
}

fn has_shadow_root(written: &[u8]) -> bool {
    Attributes::of(written).any(|(name, _)| name.eq_ignore_ascii_case(b"shadowrootmode"))
}

/// Behind a comment, a declaration, a processing instruction or a nameless end tag; `position` is behind its `<`.
fn end_of_declaration(text: &[u8], position: usize) -> usize {
    let rest = &text[position..];
    let Some(comment) = rest.strip_prefix(b"!--") else {
        return memchr(b'>', rest).map_or(text.len(), |found| position + found + 1);
    };
    for found in memchr_iter(b'>', comment) {
        let before = &comment[..found];
        if before.is_empty() || before == b"-" || before.ends_with(b"--") || before.ends_with(b"--!") {
            return position + 3 + found + 1;
        }
    }
    text.len()
}

fn end_of_raw_text(text: &[u8], element: Element, name: &[u8], position: usize) -> usize {
    match element {
        Element::Plaintext => text.len(),
        Element::Script => end_of_script(text, position),
        _ => {
            for found in memchr_iter(b'<', &text[position..]) {
                let start = position + found;
                if text.get(start + 1) == Some(&b'/') && is_name_at(text, start + 2, name) {
                    return start;
                }
            }
            text.len()
        }
    }
}

/// Where a script ends, which is not at `</script>` inside `<!-- <script>` (13.2.5.20-13.2.5.31).
fn end_of_script(text: &[u8], mut position: usize) -> usize {
    let (mut is_escaped, mut is_doubly_escaped) = (false, false);
    // What may matter begins with `<`, or ends with `>` once a comment has begun.
    while let Some(found) = find_script_part(text, position, is_escaped) {
        position = found + 1;
        let rest = &text[found..];
        if rest[0] == b'>' {
            (is_escaped, is_doubly_escaped) = (false, false);
        } else if let Some(comment) = rest.strip_prefix(b"<!--") {
            let closing = [&b">"[..], b"->"].into_iter().find(|end| comment.starts_with(end));
            is_escaped = closing.is_none();
            is_doubly_escaped = false;
            position = found + 4 + closing.map_or(0, <[u8]>::len);
        } else if is_name_at(text, found + 1, b"script") {
            is_doubly_escaped = is_escaped;
            position = found + 7;
        } else if text.get(found + 1) == Some(&b'/') && is_name_at(text, found + 2, b"script") {
            if !is_doubly_escaped {
                return found;
            }
            is_doubly_escaped = false;
            position = found + 8;
        }
    }
    text.len()
}

/// The next `<`, or the `>` of a `-->` if it is asked for, which must begin at `position` or later.
fn find_script_part(text: &[u8], position: usize, is_escaped: bool) -> Option<usize> {
    let rest = text.get(position..)?;
    if !is_escaped {
        return memchr(b'<', rest).map(|found| position + found);
    }
    memchr::memchr2_iter(b'<', b'>', rest)
        .find(|&found| rest[found] == b'<' || rest[..found].ends_with(b"--"))
        .map(|found| position + found)
}

/// Whether at `position` stands this name, in any case, and no longer one.
fn is_name_at(text: &[u8], position: usize, name: &[u8]) -> bool {
    let end = position + name.len();
    text.get(position..end).is_some_and(|written| written.eq_ignore_ascii_case(name))
        && text.get(end).is_some_and(|&byte| is_space(byte) || byte == b'/' || byte == b'>')
}
