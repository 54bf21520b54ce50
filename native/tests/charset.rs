//! What a document declares as its encoding.

use gossamer_native::charset::{Declared, declared};

fn label(text: &str) -> Declared<'_> {
    Declared::Label(text.into())
}

fn content(text: &str) -> Declared<'_> {
    Declared::ContentType(text.into())
}

#[test]
fn meta_elements_declare_it_by_label_or_by_content_type() {
    let head = "<META Charset=UTF-8><meta content=' x; charset=l1' http-equiv=Content-Type><meta charset=&#x41;>";
    assert_eq!(declared(head.as_bytes()), [label("UTF-8"), content(" x; charset=l1"), label("A")]);
}

#[test]
fn what_is_no_declaration_is_none() {
    let head = "<meta name=charset content=x><meta http-equiv=refresh content=charset=x><!--<meta charset=x>-->\
                <template><meta charset=x></template><meta charset=x";
    assert_eq!(declared(head.as_bytes()), []);
}
