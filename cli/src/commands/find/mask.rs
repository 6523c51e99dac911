//! Masks of passwords, in hashcat's letters.

use arcfour_attacks::search::{ByteSet, Pattern};

use crate::console::failure::Failure;

const HEADING: &str = "Password (of --pdf or --office)";
/// The options that exclude a mask of passwords.
const OTHERS: [&str; 6] = ["key_mask", "key_length", "keys", "keys_format", "keys_in", "passwords"];

/// A mask, and its sets of characters.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct MaskArgs {
    /// Try the passwords that match this mask in hashcat's letters, such as '?u?l?l?l?d?d'
    #[arg(long, value_name = "MASK", requires = "document", help_heading = HEADING)]
    password_mask: Option<String>,
    /// The set of ?1: characters and hashcat's letters, such as '?l?d_'
    #[arg(long, value_name = "CHARSET", requires = "password_mask", conflicts_with_all = OTHERS, help_heading = HEADING)]
    charset_1: Option<String>,
    /// The set of ?2
    #[arg(long, value_name = "CHARSET", requires = "password_mask", conflicts_with_all = OTHERS, help_heading = HEADING)]
    charset_2: Option<String>,
    /// The set of ?3
    #[arg(long, value_name = "CHARSET", requires = "password_mask", conflicts_with_all = OTHERS, help_heading = HEADING)]
    charset_3: Option<String>,
    /// The set of ?4
    #[arg(long, value_name = "CHARSET", requires = "password_mask", conflicts_with_all = OTHERS, help_heading = HEADING)]
    charset_4: Option<String>,
}

impl MaskArgs {
    pub(super) fn is_given(&self) -> bool {
        self.password_mask.is_some()
    }

    /// Returns the mask, if there is one. `ascii` allows only ASCII characters.
    ///
    /// # Errors
    /// If a letter is unknown, or a set is not given.
    pub(super) fn read(&self, ascii: bool) -> Result<Option<Pattern>, Failure> {
        let Some(mask) = &self.password_mask else { return Ok(None) };
        let mut own: [Option<ByteSet>; 4] = [None; 4];
        let given = [&self.charset_1, &self.charset_2, &self.charset_3, &self.charset_4];
        for (n, charset) in given.into_iter().enumerate() {
            if let Some(charset) = charset {
                let option = format!("--charset-{}", n + 1);
                let sets = sets(charset, &own).map_err(|why| usage(&option, charset, &why))?;
                if sets.is_empty() {
                    return Err(usage(&option, charset, "it is empty"));
                }
                own[n] = Some(sets.into_iter().flat_map(ByteSet::values).collect());
            }
        }
        let refused = |why: &str| usage("--password-mask", mask, why);
        let sets = sets(mask, &own).map_err(|why| refused(&why))?;
        if ascii && sets.iter().any(|set| set.values().any(|byte| byte > 0x7f)) {
            return Err(refused(
                "a mask of an Office password is ASCII; --passwords takes any text",
            ));
        }
        match sets.len() {
            0 => Err(refused("it is empty")),
            1..=arcfour::MAX_KEY => Ok(Some(Pattern::new(sets).expect("a mask of 1 to 256 bytes"))),
            len => Err(refused(&format!("it has {len} bytes; the most is {}", arcfour::MAX_KEY))),
        }
    }
}

fn usage(option: &str, value: &str, why: &str) -> Failure {
    Failure::Usage(format!("{option} {value:?}: {why}"))
}

/// Returns the set of each place of a mask.
fn sets(mask: &str, own: &[Option<ByteSet>; 4]) -> Result<Vec<ByteSet>, String> {
    let mut sets = vec![];
    let mut bytes = mask.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'?' {
            sets.push(ByteSet::one(byte));
            continue;
        }
        sets.push(match bytes.next() {
            Some(b'l') => (b'a'..=b'z').collect(),
            Some(b'u') => (b'A'..=b'Z').collect(),
            Some(b'd') => (b'0'..=b'9').collect(),
            Some(b's') => (b' '..=b'~').filter(|byte| !byte.is_ascii_alphanumeric()).collect(),
            Some(b'a') => (b' '..=b'~').collect(),
            Some(b'b') => ByteSet::ANY,
            Some(b'h') => (b'0'..=b'9').chain(b'a'..=b'f').collect(),
            Some(b'H') => (b'0'..=b'9').chain(b'A'..=b'F').collect(),
            Some(b'?') => ByteSet::one(b'?'),
            Some(digit @ b'1'..=b'4') => own[usize::from(digit - b'1')].ok_or_else(|| {
                let digit = char::from(digit);
                format!("?{digit} is not defined; --charset-{digit} defines it")
            })?,
            Some(_) | None => {
                return Err("after '?' comes one of l, u, d, s, a, b, h, H, 1 to 4 and ?".into());
            }
        });
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(mask: &str) -> Vec<u32> {
        sets(mask, &[None; 4]).unwrap().iter().map(ByteSet::count).collect()
    }

    /// The sizes are in hashcat's manual.
    #[test]
    fn the_letters_are_those_of_hashcat() {
        assert_eq!(counts("?l?u?d?s?a?b?h?H??x"), [26, 26, 10, 33, 95, 256, 16, 16, 1, 1]);
        for wrong in ["?", "a?", "?x", "?1"] {
            assert!(sets(wrong, &[None; 4]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_set_may_name_those_before_it() {
        let args = MaskArgs {
            password_mask: Some("?2-?1".to_owned()),
            charset_1: Some("?dxx".to_owned()),
            charset_2: Some("?1yz".to_owned()),
            charset_3: None,
            charset_4: None,
        };
        let pattern = args.read(true).unwrap().unwrap();
        let counts: Vec<_> = pattern.sets().iter().map(ByteSet::count).collect();
        assert_eq!(counts, [13, 1, 11]);
    }
}
