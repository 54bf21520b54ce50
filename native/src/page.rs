//! One page, read: its links in order, each once and up to a limit, and what it asks of robots.
//!
//! As in `gossamer.extract.collector` references come in batches, without repeats among themselves; what is kept is
//! bounded by the batch and the limit. Links are relative to the first `<base>` with an href, wherever it stands.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::links::{Directives, Hop, Reference, attribute, meta, references};
use crate::resolve::{Base, Target};
use crate::tags::{Element, Tags};

/// References resolved together.
const BATCH: usize = 1000;
/// Base elements among which one with an href is looked for.
const MAX_BASES: usize = 100;

/// A link, resolved.
#[derive(Debug)]
pub struct Link {
    pub url: String,
    pub hop: Hop,
    pub place: &'static str,
    pub rel: Option<Box<str>>,
    /// Where the text of an `<a>` begins.
    pub text_start: Option<usize>,
}

/// What a page gave.
#[derive(Debug, Default)]
pub struct Found {
    pub links: Vec<Link>,
    /// Links beyond the limit.
    pub dropped: usize,
    pub directives: Directives,
}

/// The URL parser, for what is not plain.
pub trait Parser {
    type Error;

    /// What the links of the page are relative to if its first `<base href>` is this.
    fn base_url(&self, href: &str) -> Result<String, Self::Error>;

    /// For each reference the URL it leads to, or None if that is nowhere.
    fn resolve_all(&self, base: &str, references: &[&str]) -> Result<Vec<Option<String>>, Self::Error>;
}

/// How a page is to be read.
pub struct Reading<'a, P> {
    pub parser: P,
    /// The page's own URL, as serialized by the parser.
    pub url: &'a str,
    pub is_xml: bool,
    pub max_links: usize,
    /// How robots directives address us, in lower case.
    pub product_token: &'a str,
    /// URLs that were found before, in the headers: they count, and are not found again.
    pub known: Vec<String>,
}

impl<P: Parser> Reading<'_, P> {
    /// Read a page of UTF-8, or nearly so.
    pub fn read(self, text: &[u8]) -> Result<Found, P::Error> {
        let mut batch = Batch::default();
        let mut bases = Bases::default();
        let mut base: Option<String> = None;
        let mut directives = Directives::default();
        let mut collector = Collector::new(self.max_links, &self.known);
        for tag in Tags::new(text, self.is_xml) {
            match tag.element {
                Element::Base => bases.add(tag.written),
                Element::Meta => {
                    let (reference, asked) = meta(tag.written, self.product_token);
                    directives.is_noindex |= asked.is_noindex;
                    directives.is_nofollow |= asked.is_nofollow;
                    reference.into_iter().for_each(|reference| batch.add(reference, None));
                }
                element => references(element, tag.written, |reference| {
                    batch.add(reference, (element == Element::A).then_some(tag.end));
                }),
            }
            if batch.references.len() >= BATCH {
                if base.is_none() {
                    base = Some(self.base_url(Bases::in_page(text, self.is_xml))?);
                }
                collector.admit(&self.parser, base.as_deref().unwrap_or_default(), &mut batch)?;
            }
        }
        let base = match base {
            Some(known) => known,
            None => self.base_url(bases)?,
        };
        collector.admit(&self.parser, &base, &mut batch)?;
        Ok(Found { links: collector.links, dropped: collector.dropped, directives })
    }

    fn base_url(&self, bases: Bases) -> Result<String, P::Error> {
        bases.href.map_or_else(|| Ok(self.url.to_owned()), |href| self.parser.base_url(&href))
    }
}

/// The base elements of a page.
#[derive(Default)]
struct Bases {
    seen: usize,
    href: Option<String>,
}

impl Bases {
    fn add(&mut self, written: &[u8]) {
        if self.href.is_none() && self.seen < MAX_BASES {
            self.seen += 1;
            self.href = attribute(written, "href").map(Cow::into_owned);
        }
    }

    /// Those of a whole page: links before the first one are relative to it, too.
    fn in_page(text: &[u8], is_xml: bool) -> Self {
        let mut bases = Bases::default();
        for tag in Tags::new(text, is_xml).filter(|tag| tag.element == Element::Base) {
            bases.add(tag.written);
            if bases.href.is_some() || bases.seen == MAX_BASES {
                break;
            }
        }
        bases
    }
}

/// References that were not yet resolved, without repeats.
#[derive(Default)]
struct Batch<'a> {
    references: Vec<(Reference<'a>, Option<usize>)>,
    seen: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

impl<'a> Batch<'a> {
    fn add(&mut self, mut reference: Reference<'a>, text_start: Option<usize>) {
        if let Some(mark) = memchr::memchr(b'#', reference.text.as_bytes()) {
            if mark == 0 {
                return;
            }
            // Blanks before a fragment are part of the URL, so it is kept then.
            if reference.text.as_bytes()[mark - 1] > b' ' {
                match &mut reference.text {
                    Cow::Borrowed(text) => *text = &text[..mark],
                    Cow::Owned(text) => text.truncate(mark),
                }
            }
        }
        let references = &mut self.references;
        let hash_of = |text: &str| self.hasher.hash_one(text);
        let hash = hash_of(&reference.text);
        if self.seen.find(hash, |&index| references[index].0.text == reference.text).is_none() {
            self.seen.insert_unique(hash, references.len(), |&index| hash_of(&references[index].0.text));
            references.push((reference, text_start));
        }
    }
}

/// The links of a page, each once and up to the limit.
struct Collector<'a> {
    limit: usize,
    known: &'a [String],
    links: Vec<Link>,
    /// Indexes of `known`, and behind them of `links`.
    seen: HashTable<usize>,
    hasher: DefaultHashBuilder,
    dropped: usize,
}

impl<'a> Collector<'a> {
    fn new(limit: usize, known: &'a [String]) -> Self {
        let mut collector = Collector {
            limit,
            known,
            links: Vec::new(),
            seen: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            dropped: 0,
        };
        for (index, url) in known.iter().enumerate() {
            collector.note(index, url);
        }
        collector
    }

    /// Resolve what is in a batch and take what is new; the batch is empty then.
    fn admit<P: Parser>(&mut self, parser: &P, base: &str, batch: &mut Batch<'_>) -> Result<(), P::Error> {
        batch.seen.clear();
        if self.seen.len() >= self.limit {
            self.dropped += batch.references.len();
            batch.references.clear();
            return Ok(());
        }
        let urls = resolve(parser, base, &batch.references)?;
        for ((reference, text_start), url) in batch.references.drain(..).zip(urls) {
            let Some(url) = url else { continue };
            if self.has(&url) {
                continue;
            }
            if self.seen.len() >= self.limit {
                self.dropped += 1;
                continue;
            }
            self.note(self.known.len() + self.links.len(), &url);
            let rel = reference.rel.map(|rel| rel.into_owned().into_boxed_str());
            self.links.push(Link { url, hop: reference.hop, place: reference.place, rel, text_start });
        }
        Ok(())
    }

    fn has(&self, url: &str) -> bool {
        self.seen.find(self.hasher.hash_one(url), |&index| url_at(self.known, &self.links, index) == url).is_some()
    }

    /// Remember a URL that is about to have this index.
    fn note(&mut self, index: usize, url: &str) {
        let hasher = &self.hasher;
        let rehash = |&index: &usize| hasher.hash_one(url_at(self.known, &self.links, index));
        self.seen.insert_unique(hasher.hash_one(url), index, rehash);
    }
}

fn url_at<'a>(known: &'a [String], links: &'a [Link], index: usize) -> &'a str {
    known.get(index).unwrap_or_else(|| &links[index - known.len()].url)
}

/// Where the references lead, in order; the parser is asked once for all that are not plain.
fn resolve<P: Parser>(
    parser: &P,
    base: &str,
    references: &[(Reference<'_>, Option<usize>)],
) -> Result<Vec<Option<String>>, P::Error> {
    let known_base = Base::new(base);
    let mut unknown: Vec<usize> = Vec::new();
    let mut urls: Vec<Option<String>> = Vec::with_capacity(references.len());
    for (index, (reference, _)) in references.iter().enumerate() {
        urls.push(match known_base.resolve(&reference.text) {
            Target::Url(url) => Some(url),
            Target::Nowhere => None,
            Target::Unknown => {
                unknown.push(index);
                None
            }
        });
    }
    if !unknown.is_empty() {
        let texts: Vec<&str> = unknown.iter().map(|&index| &*references[index].0.text).collect();
        for (index, url) in unknown.into_iter().zip(parser.resolve_all(base, &texts)?) {
            urls[index] = url;
        }
    }
    Ok(urls)
}
