//! Digests as the headers of an archive have them, `sha1:` and 32 letters of base32 (RFC 4648 6): what
//! `gossamer.warc.fields` makes of them.

pub const SHA1_BYTES: usize = 20;
pub const LABEL_LETTERS: usize = PREFIX.len() + 32;

const PREFIX: &[u8] = b"sha1:";
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The label of one SHA-1, in ASCII.
pub fn label(digest: &[u8; SHA1_BYTES]) -> [u8; LABEL_LETTERS] {
    let mut label = [0; LABEL_LETTERS];
    let (prefix, letters) = label.split_at_mut(PREFIX.len());
    prefix.copy_from_slice(PREFIX);
    for (five, eight) in digest.chunks_exact(5).zip(letters.chunks_exact_mut(8)) {
        let bits = five.iter().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
        for (place, letter) in eight.iter_mut().enumerate() {
            *letter = ALPHABET[(bits >> (35 - 5 * place) & 31) as usize];
        }
    }
    label
}
