//! References to URLs: those that need nothing but joining.
//!
//! The URL parser of Gossamer is `gossamer.url.parse`, and this is not another one. It knows the references of which
//! parsing changes nothing: of letters, digits and the few signs that no rule of the WHATWG URL standard touches, joined
//! to a base that was serialized by that parser. That is all but a few in a thousand. For any other it says that it does
//! not know, and the parser is asked.

use memchr::memchr_iter;

/// Longer texts are refused unread (`gossamer.url.parse.MAX_LENGTH`).
const MAX_LENGTH: usize = 65_536;
const MAX_HOST_LENGTH: usize = 253;
const MAX_LABEL_LENGTH: usize = 63;

const IGNORED_SCHEMES: [&str; 8] =
    ["javascript:", "mailto:", "data:", "tel:", "blob:", "about:", "Javascript:", "JavaScript:"];

/// What a reference leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum Target {
    Url(String),
    /// Nowhere that is crawled.
    Nowhere,
    /// Only the parser knows.
    Unknown,
}

/// The URL that references are relative to.
pub struct Base<'a> {
    /// As serialized by the parser, without fragment; empty if the parser has to be asked for everything.
    href: &'a str,
    /// `http:` or `https:`.
    scheme: &'a str,
    /// Scheme and authority.
    origin: &'a str,
    /// Up to the last slash of the path.
    folder: &'a str,
    /// Up to the query.
    path: &'a str,
}

impl<'a> Base<'a> {
    /// `href`: an http or https URL as serialized by the parser, its authority checked. Of any other nothing is known.
    pub fn new(href: &'a str) -> Self {
        Self::known(href).unwrap_or(Base { href: "", scheme: "", origin: "", folder: "", path: "" })
    }

    fn known(href: &'a str) -> Option<Self> {
        let scheme = ["http:", "https:"].into_iter().find(|&scheme| href.starts_with(scheme))?.len();
        let host = href[scheme..].strip_prefix("//")?;
        let origin = scheme + 2 + host.find('/')?;
        let is_plain =
            !href[..origin].contains('@') && href.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
        let path = &href[..href.find('?').unwrap_or(href.len())];
        let folder = path.rfind('/')? + 1;
        (is_plain && origin < folder).then_some(Base {
            href,
            scheme: &href[..scheme],
            origin: &href[..origin],
            folder: &href[..folder],
            path,
        })
    }

    /// Where a reference leads that is given without its fragment.
    pub fn resolve(&self, reference: &str) -> Target {
        if reference.len() > MAX_LENGTH {
            // Counted in characters; what is longer in bytes only is for the parser.
            return if reference.chars().count() > MAX_LENGTH { Target::Nowhere } else { Target::Unknown };
        }
        let Some(shape) = Shape::of(reference) else {
            let is_ignored = IGNORED_SCHEMES.iter().any(|scheme| reference.starts_with(scheme));
            return if is_ignored { Target::Nowhere } else { Target::Unknown };
        };
        if self.href.is_empty() {
            return Target::Unknown;
        }
        let (path, query) = reference.split_at(shape.path_length);
        let joined = match shape.kind {
            Kind::Scheme if has_other_scheme(path) => return Target::Nowhere,
            Kind::Scheme => self.join_absolute(path, query),
            Kind::Authority => self.join_authority(self.scheme, &path[2..], query),
            Kind::Rooted => Some(join(self.origin, "/", &path[1..], query, shape.has_dots)),
            // The parser drops an empty query then.
            Kind::Relative if reference.is_empty() => (!self.href.ends_with('?')).then(|| self.href.to_owned()),
            Kind::Relative if path.is_empty() => Some([self.path, query].concat()),
            Kind::Relative => Some(join(self.origin, &self.folder[self.origin.len()..], path, query, shape.has_dots)),
        };
        joined.map_or(Target::Unknown, Target::Url)
    }

    fn join_absolute(&self, path: &str, query: &str) -> Option<String> {
        let scheme = if path.starts_with("https://") { "https:" } else { "http:" };
        self.join_authority(scheme, path.strip_prefix(scheme)?.strip_prefix("//")?, query)
    }

    /// `rest`: host and path.
    fn join_authority(&self, scheme: &str, rest: &str, query: &str) -> Option<String> {
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_home = scheme == self.scheme && host == &self.origin[scheme.len() + 2..];
        if !is_home && !is_plain_host(host) {
            return None;
        }
        let origin = [scheme, "//", host].concat();
        let path = path.strip_prefix('/').unwrap_or(path);
        Some(join(&origin, "/", path, query, has_dots(path)))
    }
}

/// Whether a plain path begins with the scheme of a URL that is not crawled; `http:x` is relative, and `1:x` a path.
fn has_other_scheme(path: &str) -> bool {
    let Some((scheme, _)) = path.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
        && !scheme.eq_ignore_ascii_case("http")
        && !scheme.eq_ignore_ascii_case("https")
}

#[derive(Clone, Copy)]
enum Kind {
    /// `x:…`
    Scheme,
    /// `//host…`
    Authority,
    /// `/path…`
    Rooted,
    /// `path…`, `?query`, or nothing
    Relative,
}

/// How a plain reference is built.
struct Shape {
    kind: Kind,
    /// Up to the query.
    path_length: usize,
    has_dots: bool,
}

impl Shape {
    /// None if the reference is not plain.
    fn of(reference: &str) -> Option<Shape> {
        let bytes = reference.as_bytes();
        let path_length = bytes.iter().position(|&byte| !IN_PATH[usize::from(byte)]).unwrap_or(bytes.len());
        let (path, query) = bytes.split_at(path_length);
        // Behind the `?` that ended the path there may be more of them.
        if query.first().is_some_and(|&byte| byte != b'?') || !query.iter().all(|&byte| IN_QUERY[usize::from(byte)]) {
            return None;
        }
        // A dot may be written `%2e`.
        if memchr_iter(b'%', path).any(|at| path[at + 1..].get(..2).is_some_and(|hex| hex.eq_ignore_ascii_case(b"2e")))
        {
            return None;
        }
        let first_segment = path.iter().position(|&byte| byte == b'/').unwrap_or(path_length);
        let kind = if path[..first_segment].contains(&b':') {
            Kind::Scheme
        } else if path.starts_with(b"//") {
            Kind::Authority
        } else if path.starts_with(b"/") {
            Kind::Rooted
        } else {
            Kind::Relative
        };
        Some(Shape { kind, path_length, has_dots: has_dots(&reference[..path_length]) })
    }
}

/// Bytes that stand for themselves in a path, and never for anything else.
const IN_PATH: [bool; 256] = table(b"-._~!$&'()*+,;=:@/%");
/// The same in the query of an http URL, where an apostrophe is encoded.
const IN_QUERY: [bool; 256] = table(b"-._~!$&()*+,;=:@/%?");

const fn table(signs: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut index = 0;
    while index < signs.len() {
        table[signs[index] as usize] = true;
        index += 1;
    }
    table
}

/// Whether a path may have segments `.` or `..`.
fn has_dots(path: &str) -> bool {
    path.starts_with('.') || path.as_bytes().windows(2).any(|pair| pair == b"/.")
}

/// A URL of an origin, a folder that ends in a slash, a path relative to it, and a query.
fn join(origin: &str, folder: &str, path: &str, query: &str, has_dots: bool) -> String {
    let mut href = String::with_capacity(origin.len() + folder.len() + path.len() + query.len());
    href.push_str(origin);
    href.push_str(folder);
    if has_dots {
        push_segments(&mut href, origin.len() + 1, path);
    } else {
        href.push_str(path);
    }
    href.push_str(query);
    href
}

/// Append a path segment by segment to one that ends in a slash and whose root ends at `root`.
fn push_segments(href: &mut String, root: usize, path: &str) {
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." => {}
            ".." => {
                let parent = href[root..]
                    .strip_suffix('/')
                    .map_or(root, |rest| rest.rfind('/').map_or(root, |at| root + at + 1));
                href.truncate(parent);
            }
            _ => {
                href.push_str(segment);
                if segments.peek().is_some() {
                    href.push('/');
                }
            }
        }
    }
}

/// Whether a host is a name that parsing does not change and DNS can carry: lower case, no number at its end, no punycode.
fn is_plain_host(host: &str) -> bool {
    let is_plain_label = |label: &str| {
        (1..=MAX_LABEL_LENGTH).contains(&label.len())
            && !label.starts_with("xn--")
            && label.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    };
    host.len() <= MAX_HOST_LENGTH
        && host.split('.').all(is_plain_label)
        && !host.rsplit('.').next().is_some_and(|last| last.starts_with(|first: char| first.is_ascii_digit()))
}
