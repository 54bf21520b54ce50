//! Joining of plain references. That the URL parser answers the same is tested by Gossamer.

use gossamer_native::resolve::{Base, Target};

fn resolve(base: &str, reference: &str) -> Target {
    Base::new(base).resolve(reference)
}

#[test]
fn plain_references_are_joined() {
    for (reference, url) in [
        ("x", "http://e.org/a/b/x"),
        ("x/y?z", "http://e.org/a/b/x/y?z"),
        ("./x", "http://e.org/a/b/x"),
        ("../x", "http://e.org/a/x"),
        ("../../../x", "http://e.org/x"),
        ("..", "http://e.org/a/"),
        ("x/..", "http://e.org/a/b/"),
        ("x/.", "http://e.org/a/b/x/"),
        ("x//../y", "http://e.org/a/b/x/y"),
        (".x/..y", "http://e.org/a/b/.x/..y"),
        ("/x", "http://e.org/x"),
        ("/../x/./", "http://e.org/x/"),
        ("", "http://e.org/a/b/c?d"),
        ("?e", "http://e.org/a/b/c?e"),
        ("//f.org", "http://f.org/"),
        ("//f.org?x", "http://f.org/?x"),
        ("https://f.org/x", "https://f.org/x"),
        ("http://e.org", "http://e.org/"),
    ] {
        assert_eq!(resolve("http://e.org/a/b/c?d", reference), Target::Url(url.to_owned()), "{reference}");
    }
}

#[test]
fn what_parsing_might_change_is_unknown() {
    for reference in [
        "a b",
        " a",
        "a\tb",
        "a\\b",
        "\u{e4}",
        "%2e%2E/x",
        "a#b",
        "?'",
        "http:x",
        "HTTP://f.org/",
        "//F.org",
        "//f.org:80/",
        "//1.2.3.4/",
        "//0x7f/",
        "//xn--4ca/",
        "//a..b/",
        "//a@b/",
        "//",
        "//[::1]/",
        "//f.org./",
    ] {
        assert_eq!(resolve("http://e.org/a", reference), Target::Unknown, "{reference}");
    }
    for base in ["ftp://e.org/a", "http://user@e.org/a", "", "http:", "http://e.org"] {
        assert_eq!(resolve(base, "x"), Target::Unknown, "{base}");
    }
}

#[test]
fn a_base_may_have_any_authority() {
    assert_eq!(resolve("http://1.2.3.4:8080/a", "/b"), Target::Url("http://1.2.3.4:8080/b".to_owned()));
    assert_eq!(resolve("http://1.2.3.4:8080/a", "//1.2.3.4:8080/b"), Target::Url("http://1.2.3.4:8080/b".to_owned()));
    assert_eq!(resolve("http://[::1]/a", "b"), Target::Url("http://[::1]/b".to_owned()));
}

#[test]
fn other_schemes_lead_nowhere() {
    for reference in ["javascript:void(0)", "mailto:a b", "data:,x", "tel:1", "ftp://f.org/"] {
        assert_eq!(resolve("http://e.org/", reference), Target::Nowhere, "{reference}");
    }
    assert_eq!(resolve("http://e.org/", &"x".repeat(70_000)), Target::Nowhere);
    assert_eq!(resolve("http://e.org/", &"\u{e4}".repeat(40_000)), Target::Unknown);
}

#[test]
fn a_link_of_another_scheme_leads_nowhere() {
    for reference in ["ftp://f.org/", "file:///x", "git+ssh:y", "x.y-z:w", "FTP:"] {
        assert_eq!(resolve("http://e.org/a", reference), Target::Nowhere, "{reference}");
    }
    for reference in ["Http:x", "HTTPS:y", "1:x", "a_b:c", "-:d"] {
        assert_eq!(resolve("http://e.org/a", reference), Target::Unknown, "{reference}");
    }
}
