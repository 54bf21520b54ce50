//! The named character references of the HTML standard (13.5): `entities.txt`, one `name code-points` a line, sorted.

use std::sync::LazyLock;

static NAMES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| include_str!("entities.txt").lines().filter_map(|line| line.split_once(' ')).collect());

/// Append what a name stands for; it is given with its `;` if it was written with one. False if there is no such name.
pub fn entity(name: &str, out: &mut String) -> bool {
    let Ok(found) = NAMES.binary_search_by_key(&name, |&(known, _)| known) else {
        return false;
    };
    out.extend(
        NAMES[found].1.split(' ').filter_map(|code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32)),
    );
    true
}
