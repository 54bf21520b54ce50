//! What a URL is known by in a frontier, as `gossamer.frontier.seen` makes it: four bytes that stand for its host, and
//! sixteen of BLAKE2b over its canonical form, both under the job's key.

/// Bytes of a job's key: salt and personalization of the hash. The first four are where the host's checksum starts.
pub const KEY_BYTES: usize = 32;
pub const IDENTITY_BYTES: usize = 20;

const HOST_BYTES: usize = 4;

/// Makes identities under one key.
pub struct Identifier {
    of_url: blake2b_simd::Params,
    host_start: u32,
}

impl Identifier {
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        let mut of_url = blake2b_simd::Params::new();
        of_url.hash_length(IDENTITY_BYTES - HOST_BYTES).salt(&key[..16]).personal(&key[16..]);
        Identifier { of_url, host_start: u32::from_be_bytes([key[0], key[1], key[2], key[3]]) }
    }

    /// The identity of a canonical URL and its host.
    pub fn identify(&self, canonical: &str, host: &str) -> [u8; IDENTITY_BYTES] {
        let mut of_host = crc32fast::Hasher::new_with_initial(self.host_start);
        of_host.update(host.as_bytes());
        let mut identity = [0; IDENTITY_BYTES];
        identity[..HOST_BYTES].copy_from_slice(&of_host.finalize().to_be_bytes());
        identity[HOST_BYTES..].copy_from_slice(self.of_url.hash(canonical.as_bytes()).as_bytes());
        identity
    }
}
