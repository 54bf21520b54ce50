//! Labels of digests; the expected values are those of Python's base64.b32encode.

use gossamer_native::digests::{SHA1_BYTES, label};

fn text(digest: &[u8; SHA1_BYTES]) -> String {
    String::from_utf8(label(digest).to_vec()).unwrap()
}

#[test]
fn a_label_is_the_base32_of_the_digest() {
    assert_eq!(text(&[0; SHA1_BYTES]), "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    assert_eq!(text(&[255; SHA1_BYTES]), "sha1:77777777777777777777777777777777");
    assert_eq!(text(&std::array::from_fn(|index| index as u8)), "sha1:AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQT");
}
