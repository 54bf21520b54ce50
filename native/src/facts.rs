//! What a page says of itself: its title, language and meta elements, as `gossamer.extract.facts` reads them.

use std::collections::HashSet;

use crate::attributes::text_of;
use crate::links::{MetaAttributes, attribute, strip};
use crate::tags::{Element, Tags};

/// Names that are kept.
const MAX_META: usize = 1000;
/// Bytes of a title that are given out: as many characters as are read of one, whatever they are.
const MAX_TITLE_SOURCE: usize = 4 * 65_536;

#[derive(Debug, Default)]
pub struct Facts {
    /// The source of the first title, character references and all.
    pub title: String,
    pub language: Option<String>,
    /// name or http-equiv in lower case, content; the first of each.
    pub meta: Vec<(String, String)>,
}

impl Facts {
    pub fn of(text: &[u8], is_xml: bool) -> Self {
        let mut title = None;
        let mut language = None;
        let mut meta = Vec::new();
        let mut names = HashSet::new();
        for tag in Tags::new(text, is_xml) {
            match tag.element {
                Element::Meta => {
                    let (name, content) = name_and_content(tag.written);
                    if !name.is_empty() && names.len() < MAX_META && names.insert(name.clone()) {
                        meta.push((name, content));
                    }
                }
                Element::Html if language.is_none() => {
                    language =
                        attribute(tag.written, "lang").map(|lang| lang.into_owned()).filter(|lang| !lang.is_empty());
                }
                Element::Title if title.is_none() => {
                    let end = tag.resume.min(tag.end + MAX_TITLE_SOURCE);
                    title = Some(String::from_utf8_lossy(&text[tag.end..end]).into_owned());
                }
                _ => {}
            }
        }
        Facts { title: title.unwrap_or_default(), language, meta }
    }
}

fn name_and_content(written: &[u8]) -> (String, String) {
    let MetaAttributes { name, http_equiv, content } = MetaAttributes::of(written);
    let name = name.filter(|name| !name.is_empty()).or(http_equiv).unwrap_or_default();
    (strip(&text_of(name)).to_lowercase(), text_of(content.unwrap_or_default()).into_owned())
}
