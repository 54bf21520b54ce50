//! What is read of whole pages. The rules themselves are held against Gossamer's own readers by its tests.

use std::convert::Infallible;

use gossamer_native::links::{Directives, Hop};
use gossamer_native::page::{Found, Parser, Reading};

/// Stands in for Gossamer's URL parser, and shows what it was asked.
struct Asked;

impl Parser for Asked {
    type Error = Infallible;

    fn base_url(&self, href: &str) -> Result<String, Infallible> {
        Ok(format!("http://base.org{href}"))
    }

    fn resolve_all(&self, _base: &str, references: &[&str]) -> Result<Vec<Option<String>>, Infallible> {
        Ok(references.iter().map(|reference| Some(format!("asked:{reference}"))).collect())
    }
}

fn read_up_to(max_links: usize, text: &[u8]) -> Found {
    let url = "http://e.org/dir/page?q";
    let known = vec!["http://e.org/known".to_owned()];
    let Ok(found) =
        Reading { parser: Asked, url, is_xml: false, max_links, product_token: "gossamer", known }.read(text);
    found
}

fn urls(text: &str) -> Vec<String> {
    read_up_to(100, text.as_bytes()).links.into_iter().map(|link| link.url).collect()
}

#[test]
fn links_come_in_order_each_once_with_hop_and_place() {
    let found = read_up_to(100, b"<a href=b rel=r>1</a><img src=a srcset='c 1x, a'><a href=./b#x><a href=/known>");
    let told: Vec<_> = found.links.iter().map(|link| (link.url.as_str(), link.hop, link.place)).collect();
    assert_eq!(
        told,
        [
            ("http://e.org/dir/b", Hop::Link, "a@href"),
            ("http://e.org/dir/a", Hop::Embed, "img@src"),
            ("http://e.org/dir/c", Hop::Embed, "img@srcset"),
        ]
    );
    assert_eq!(found.links[0].rel.as_deref(), Some("r"));
    assert_eq!(found.links[0].text_start, Some(16));
}

#[test]
fn the_first_base_counts_for_links_before_it() {
    assert_eq!(urls("<a href=x><base target=t><base href=/1/><base href=/2/>"), ["http://base.org/1/x"]);
}

#[test]
fn a_base_behind_more_links_than_a_batch_counts_for_all() {
    let text: String = (0..2500).map(|number| format!("<a href={number}>")).collect::<String>() + "<base href=/b/>";
    let found = read_up_to(5000, text.as_bytes());
    assert_eq!(found.links.len(), 2500);
    assert!(found.links.iter().all(|link| link.url.starts_with("http://base.org/b/")));
}

#[test]
fn what_is_not_plain_is_asked_for() {
    assert_eq!(urls("<a href='a b'><a href=x><a href=\u{e4}>"), ["asked:a b", "http://e.org/dir/x", "asked:\u{e4}"]);
    assert_eq!(urls("<a href=javascript:x><a href='mailto:a b'><a href=ftp://h/>"), [""; 0]);
}

#[test]
fn links_beyond_the_limit_are_counted() {
    let found = read_up_to(3, b"<a href=1><a href=2><a href=3><a href=4><a href=1>");
    assert_eq!((found.links.len(), found.dropped), (2, 2));
}

#[test]
fn what_holds_no_markup_holds_no_links() {
    for text in [
        "<!-- <a href=no> -->",
        "<!-- <a href=no>",
        "<script><a href=no></script>",
        "<script><!--<script></script><a href=no></script>",
        "<title><a href=no></titles></title>",
        "<template><template shadowrootmode=open></template><a href=no></template>",
        "<p title='<a href=no>'>",
        "<plaintext><a href=no>",
        "<a href=no",
        "<abbr href=no>",
        "<svg/><script/><a href=no></script>",
    ] {
        assert_eq!(urls(text), [""; 0], "{text}");
    }
    assert_eq!(urls("<svg><script/><a href=yes></svg>"), ["http://e.org/dir/yes"]);
}

#[test]
fn robots_may_be_asked_by_name() {
    let ask = |text: &str| read_up_to(1, text.as_bytes()).directives;
    assert_eq!(ask("<meta name=ROBOTS content='a, None'>"), Directives { is_noindex: true, is_nofollow: true });
    assert_eq!(ask("<meta content=nofollow name=Gossamer>"), Directives { is_noindex: false, is_nofollow: true });
    assert_eq!(ask("<meta name=other content=none>"), Directives::default());
}

/// Pages of pieces that mean something, in any order, cut anywhere. `FUZZ_PAGES` asks for more of them.
#[test]
fn no_page_makes_it_panic() {
    const PIECES: &[&[u8]] = &[
        b"<",
        b">",
        b"/",
        b"=",
        b"'",
        b"\"",
        b"&",
        b"#",
        b";",
        b"-",
        b"!",
        b"\0",
        b"\xff",
        b"\xc3\xa9",
        b" ",
        b"\n",
        b"<!--",
        b"-->",
        b"<a href=",
        b"<img srcset='a 1x,(",
        b"</a>",
        b"<script>",
        b"</script>",
        b"<template>",
        b"</template>",
        b"<svg/>",
        b"<title>",
        b"</title>",
        b"<base href=",
        b"<meta http-equiv=refresh content='1;url=",
        b"<meta name=robots content=",
        b"&#x1F577;",
        b"&notin",
        b"&#99999999999",
        b"..",
        b"//",
        b"?",
        b"%2e",
        b"http://h.org",
        b"xn--",
        b"<link rel=icon href=",
    ];
    let pages = std::env::var("FUZZ_PAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..pages {
        let mut text = Vec::new();
        for _ in 0..next(60) {
            text.extend_from_slice(PIECES[next(PIECES.len())]);
        }
        text.truncate(text.len() - next(4).min(text.len()));
        let found = read_up_to(1 + next(5), &text);
        assert!(found.links.iter().all(|link| link.text_start.is_none_or(|start| start <= text.len())));
        gossamer_native::facts::Facts::of(&text, next(2) == 0);
    }
}
