//! Which attributes of which elements are links, as `gossamer.extract.links` and `.directives` decide it.

use std::borrow::Cow;

use memchr::memchr;

use crate::attributes::{Attributes, is_space, text_of};
use crate::tags::Element;

/// Of one attribute; no picture comes in so many sizes.
const MAX_SRCSET_URLS: usize = 200;

const EMBEDDED_RELS: [&str; 10] = [
    "stylesheet",
    "icon",
    "mask-icon",
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "modulepreload",
    "preload",
    "prefetch",
    "prerender",
    "manifest",
];
const IGNORED_RELS: [&str; 3] = ["dns-prefetch", "preconnect", "pingback"];

/// How a reader comes along a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    Link,
    Embed,
}

/// A reference as it stands in the page.
#[derive(Debug)]
pub struct Reference<'a> {
    pub text: Cow<'a, str>,
    pub hop: Hop,
    /// Element and attribute: `a@href`.
    pub place: &'static str,
    pub rel: Option<Cow<'a, str>>,
}

/// What a page asks of robots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    pub is_noindex: bool,
    pub is_nofollow: bool,
}

/// The attributes that matter, as written; the first of each name.
#[derive(Default)]
struct Referring<'a> {
    href: Option<&'a [u8]>,
    src: Option<&'a [u8]>,
    srcset: Option<&'a [u8]>,
    rel: Option<&'a [u8]>,
}

impl<'a> Referring<'a> {
    fn of(written: &'a [u8]) -> Self {
        let mut found = Referring::default();
        for (name, value) in Attributes::of(written) {
            let field = match name.len() {
                3 if name.eq_ignore_ascii_case(b"src") => &mut found.src,
                3 if name.eq_ignore_ascii_case(b"rel") => &mut found.rel,
                4 if name.eq_ignore_ascii_case(b"href") => &mut found.href,
                6 if name.eq_ignore_ascii_case(b"srcset") => &mut found.srcset,
                _ => continue,
            };
            field.get_or_insert(value);
        }
        found
    }
}

/// The value of one attribute of a tag.
pub fn attribute<'a>(written: &'a [u8], wanted: &str) -> Option<Cow<'a, str>> {
    Attributes::of(written)
        .find(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()))
        .map(|(_, value)| text_of(value))
}

/// Call `add` with each reference that a start tag makes.
pub fn references<'a>(element: Element, written: &'a [u8], mut add: impl FnMut(Reference<'a>)) {
    let (hop, place, srcset_place) = match element {
        Element::A => (Hop::Link, "a@href", None),
        Element::Area => (Hop::Link, "area@href", None),
        Element::Audio => (Hop::Embed, "audio@src", None),
        Element::Embed => (Hop::Embed, "embed@src", None),
        Element::Frame => (Hop::Embed, "frame@src", None),
        Element::Iframe => (Hop::Embed, "iframe@src", None),
        Element::Img => (Hop::Embed, "img@src", Some("img@srcset")),
        Element::Input => (Hop::Embed, "input@src", None),
        Element::Script => (Hop::Embed, "script@src", None),
        Element::Source => (Hop::Embed, "source@src", Some("source@srcset")),
        Element::Track => (Hop::Embed, "track@src", None),
        Element::Video => (Hop::Embed, "video@src", None),
        Element::Link => return reference_of_link(written, add),
        _ => return,
    };
    let found = Referring::of(written);
    let rel = found.rel.map(text_of);
    if let Some(value) = if hop == Hop::Link { found.href } else { found.src } {
        let text = text_of(value);
        // An empty src loads nothing; an empty href leads to the page itself.
        if hop == Hop::Link || !strip(&text).is_empty() {
            add(Reference { text, hop, place, rel: rel.clone() });
        }
    }
    if let (Some(place), Some(srcset)) = (srcset_place, found.srcset) {
        let srcset = text_of(srcset);
        for url in SrcsetUrls(&srcset).take(MAX_SRCSET_URLS) {
            add(Reference { text: Cow::Owned(url.to_owned()), hop, place, rel: rel.clone() });
        }
    }
}

fn reference_of_link<'a>(written: &'a [u8], mut add: impl FnMut(Reference<'a>)) {
    let found = Referring::of(written);
    let rel = found.rel.map(text_of);
    if let (Some(hop), Some(href)) = (hop_of_rel(rel.as_deref().unwrap_or_default()), found.href) {
        if !href.is_empty() {
            add(Reference { text: text_of(href), hop, place: "link@href", rel });
        }
    }
}

/// The attributes of a meta element that count, as written; the first of each.
#[derive(Default)]
pub struct MetaAttributes<'a> {
    pub name: Option<&'a [u8]>,
    pub http_equiv: Option<&'a [u8]>,
    pub content: Option<&'a [u8]>,
}

impl<'a> MetaAttributes<'a> {
    pub fn of(written: &'a [u8]) -> Self {
        let mut found = Self::default();
        for (attribute, value) in Attributes::of(written) {
            if attribute.eq_ignore_ascii_case(b"name") {
                found.name.get_or_insert(value);
            } else if attribute.eq_ignore_ascii_case(b"http-equiv") {
                found.http_equiv.get_or_insert(value);
            } else if attribute.eq_ignore_ascii_case(b"content") {
                found.content.get_or_insert(value);
            }
        }
        found
    }
}

/// The reference and the directives of a meta element; `product_token`, in lower case, is how robots address us.
pub fn meta<'a>(written: &'a [u8], product_token: &str) -> (Option<Reference<'a>>, Directives) {
    let MetaAttributes { name, http_equiv, content } = MetaAttributes::of(written);
    let word = |value: Option<&[u8]>| value.map_or_else(String::new, |value| strip(&text_of(value)).to_lowercase());
    let content = content.unwrap_or_default();
    let name = word(name);
    let directives = match name.as_str() {
        "" => Directives::default(),
        name if name == "robots" || name == product_token => directives_in(&text_of(content)),
        _ => Directives::default(),
    };
    if word(http_equiv) != "refresh" {
        return (None, directives);
    }
    let reference = refresh_url(&text_of(content)).map(|url| Reference {
        text: Cow::Owned(url.to_owned()),
        hop: Hop::Link,
        place: "meta@refresh",
        rel: attribute(written, "rel"),
    });
    (reference, directives)
}

fn directives_in(content: &str) -> Directives {
    let mut found = Directives::default();
    for word in content.split(',') {
        let word = strip(word).to_lowercase();
        found.is_noindex |= word == "noindex" || word == "none";
        found.is_nofollow |= word == "nofollow" || word == "none";
    }
    found
}

/// The hop of a `<link>` by its rel, or None if it is not to be followed.
fn hop_of_rel(rel: &str) -> Option<Hop> {
    let lower = rel.to_lowercase();
    let tokens = || lower.split(is_blank).filter(|token| !token.is_empty());
    if tokens().any(|token| EMBEDDED_RELS.contains(&token)) {
        return Some(Hop::Embed);
    }
    if tokens().all(|token| IGNORED_RELS.contains(&token)) { None } else { Some(Hop::Link) }
}

/// The URLs of a srcset attribute (HTML 4.8.4.2.1), of which this is the part not yet read.
struct SrcsetUrls<'a>(&'a str);

impl<'a> Iterator for SrcsetUrls<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start_matches(|character| character == ',' || is_html_space(character));
        if rest.is_empty() {
            return None;
        }
        let (url, rest) = rest.split_at(rest.find(is_html_space).unwrap_or(rest.len()));
        self.0 = if url.ends_with(',') { rest } else { behind_descriptors(rest) };
        Some(url.trim_end_matches(','))
    }
}

/// What follows the descriptors of one URL and their comma; commas in parentheses do not count.
fn behind_descriptors(text: &str) -> &str {
    let mut is_inside = false;
    for (position, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => is_inside = true,
            b')' => is_inside = false,
            b',' if !is_inside => return &text[position + 1..],
            _ => {}
        }
    }
    ""
}

/// The URL in a refresh (HTML 4.2.5.3, leniently: any case, comma or semicolon, quotes), None if there is none.
fn refresh_url(content: &str) -> Option<&str> {
    let rest = content.trim_start_matches(is_html_space);
    let target = rest.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    if target.len() == rest.len() {
        return None;
    }
    let target = target.trim_start_matches(is_html_space);
    let target = target.strip_prefix([';', ',']).unwrap_or(target).trim_start_matches(is_html_space);
    let mut target = strip(behind_url_sign(target).unwrap_or(target));
    for quote in ['"', '\''] {
        if let Some(quoted) = target.strip_prefix(quote) {
            target = strip(memchr(quote as u8, quoted.as_bytes()).map_or(quoted, |end| &quoted[..end]));
            break;
        }
    }
    (!target.is_empty()).then_some(target)
}

/// What follows `url =`.
fn behind_url_sign(text: &str) -> Option<&str> {
    if !text.as_bytes().get(..3)?.eq_ignore_ascii_case(b"url") {
        return None;
    }
    text[3..].trim_start_matches(is_html_space).strip_prefix('=')
}

fn is_html_space(character: char) -> bool {
    u8::try_from(character).is_ok_and(is_space)
}

/// What Python holds to be white space: Unicode's, and four separators of ASCII.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

pub fn strip(text: &str) -> &str {
    text.trim_matches(is_blank)
}
