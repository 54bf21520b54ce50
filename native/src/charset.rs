//! What a document says of its own encoding, as `gossamer.extract.charset` reads it.

use std::borrow::Cow;

use crate::attributes::{Attributes, text_of};
use crate::tags::{Element, Tags};

/// Where a meta element names an encoding.
#[derive(Debug, PartialEq, Eq)]
pub enum Declared<'a> {
    /// `<meta charset>`: the label.
    Label(Cow<'a, str>),
    /// `<meta http-equiv=content-type>`: its content, in which a label may stand.
    ContentType(Cow<'a, str>),
}

/// The declarations in the beginning of a document, in order.
pub fn declared(head: &[u8]) -> Vec<Declared<'_>> {
    let metas = Tags::new(head, false).filter(|tag| tag.element == Element::Meta);
    metas.filter_map(|tag| declared_by(tag.written)).collect()
}

fn declared_by(written: &[u8]) -> Option<Declared<'_>> {
    let (mut http_equiv, mut content) = (None, None);
    for (attribute, value) in Attributes::of(written) {
        if attribute.eq_ignore_ascii_case(b"charset") {
            return Some(Declared::Label(text_of(value)));
        } else if attribute.eq_ignore_ascii_case(b"http-equiv") {
            http_equiv.get_or_insert(value);
        } else if attribute.eq_ignore_ascii_case(b"content") {
            content.get_or_insert(value);
        }
    }
    let is_type = text_of(http_equiv?).to_lowercase() == "content-type";
    is_type.then(|| Declared::ContentType(text_of(content.unwrap_or_default())))
}
