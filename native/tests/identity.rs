//! What URLs are known by; the expected values are those of Python's hashlib and zlib.

use gossamer_native::identity::{Identifier, KEY_BYTES};

fn key() -> [u8; KEY_BYTES] {
    std::array::from_fn(|index| index as u8)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_identity_is_a_checksum_of_the_host_and_a_hash_of_the_url() {
    let identifier = Identifier::new(&key());
    let long = format!("https://example.org/{}", "x".repeat(300));
    assert_eq!(hex(&identifier.identify("", "")), "000102034e4c3e13be283a82a270c5d7ed046ed2");
    assert_eq!(
        hex(&identifier.identify("https://example.org/a?b=%C3%BC", "example.org")),
        "2a3590a078d3c1b40dd4c7dd876abe0c3a4c32cf"
    );
    assert_eq!(hex(&identifier.identify(&long, "ü.example")), "c84549c3deb8b7778d4f64acaa27349157f0f4bd");
}

#[test]
fn both_parts_depend_on_the_key() {
    let (one, other) = (Identifier::new(&[1; KEY_BYTES]), Identifier::new(&[2; KEY_BYTES]));
    let (first, second) = (one.identify("http://a/", "a"), other.identify("http://a/", "a"));
    assert_ne!(first[..4], second[..4]);
    assert_ne!(first[4..], second[4..]);
}
