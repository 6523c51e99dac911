//! A second reader of PDF files: it knows tokens, and nothing of encryption or of cross-reference tables.
//!
//! It reads files that are a plain row of objects and sections. In others, what is an object depends on the table.

/// An indirect object.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    /// All bytes outside strings and the data of the stream; each string leaves its last byte.
    kept: Vec<u8>,
    /// Lengths of what its strings mean, and of its stream.
    lens: Vec<usize>,
}

impl Frame {
    fn has(&self, name: &str) -> bool {
        let mut names = self.kept.split(|&byte| is_space(byte) || b"<>[]()%".contains(&byte));
        names.any(|word| {
            word.split(|&byte| byte == b'/').skip(1).any(|word| word == name.as_bytes())
        })
    }

    fn is_null(&self) -> bool {
        let value = self.kept.strip_suffix(b"endobj").unwrap_or(&self.kept);
        value.trim_ascii_end().ends_with(b" null")
    }
}

/// The objects of a file in their order; `None` if it is not plain.
pub fn frames(file: &[u8]) -> Option<Vec<Frame>> {
    let start = file.windows(5).position(|bytes| bytes == b"%PDF-")?;
    let mut reader = Reader { file, at: start };
    let (mut frames, mut sections) = (vec![], 0);
    loop {
        reader.space(&mut vec![]);
        let before = reader.at;
        match reader.word() {
            b"" if reader.at == file.len() => break,
            start @ (b"xref" | b"startxref") => {
                sections += 1;
                if start == b"xref" {
                    reader.frame(&[b"startxref"])?;
                    sections += 1;
                }
                reader.space(&mut vec![]);
                reader.word();
            }
            word if word.first()?.is_ascii_digit() => {
                reader.at = before;
                frames.push(reader.object()?);
            }
            _ => return None,
        }
    }
    let is_plain = count(file, b"obj") == 2 * frames.len() && count(file, b"xref") == sections;
    is_plain.then_some(frames)
}

/// Holds a decrypted file against the encrypted one, as far as both are plain.
///
/// # Errors
/// If an object differs outside its strings and its stream, or these have other lengths. Cross-reference streams are
/// written anew, the dictionaries of the encryption and of linearization may be null, and a crypt filter is taken off.
pub fn same_tokens(encrypted: &[u8], plain: &[u8]) -> Result<(), String> {
    let (Some(before), Some(after)) = (frames(encrypted), frames(plain)) else { return Ok(()) };
    let objects = |frames: Vec<Frame>| {
        frames.into_iter().filter(|frame| !frame.has("XRef") || frame.has("Standard"))
    };
    let (before, after): (Vec<_>, Vec<_>) = (objects(before).collect(), objects(after).collect());
    if before.len() != after.len() {
        return Err(format!("{} objects became {}", before.len(), after.len()));
    }
    let changed = before.iter().zip(&after).find(|(one, other)| {
        let may_be_null = one.has("Standard") || one.has("Linearized");
        one != other && !one.has("Crypt") && !(may_be_null && other.is_null())
    });
    match changed {
        None => Ok(()),
        Some((one, other)) => Err(format!(
            "{} {:?} became {} {:?}",
            one.kept.escape_ascii(),
            one.lens,
            other.kept.escape_ascii(),
            other.lens
        )),
    }
}

struct Reader<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.file[self.at..]
    }

    fn take(&mut self, len: usize, kept: &mut Vec<u8>) {
        kept.extend(&self.rest()[..len]);
        self.at += len;
    }

    /// White space and comments.
    fn space(&mut self, kept: &mut Vec<u8>) {
        while let Some(&byte) = self.rest().first() {
            let len = match byte {
                b'%' => self.rest().iter().take_while(|byte| !b"\r\n".contains(byte)).count(),
                _ if is_space(byte) => 1,
                _ => break,
            };
            self.take(len, kept);
        }
    }

    /// The regular characters here.
    fn word(&mut self) -> &'a [u8] {
        let is_regular = |byte: &&u8| !is_space(**byte) && !b"()<>[]{}/%".contains(*byte);
        let word = &self.rest()[..self.rest().iter().take_while(is_regular).count()];
        self.at += word.len();
        word
    }

    fn object(&mut self) -> Option<Frame> {
        let mut frame = self.frame(&[b"stream", b"endobj"])?;
        if frame.kept.ends_with(b"endobj") {
            return Some(frame);
        }
        let line_end = if self.rest().starts_with(b"\r\n") { 2 } else { 1 };
        self.take(line_end.min(self.rest().len()), &mut frame.kept);
        let len = frame.lens.pop()?;
        let data = self.rest().get(..len).filter(|data| count(data, b"endstream") == 0)?;
        self.at += data.len();
        frame.lens.push(len);
        let end = self.frame(&[b"endobj"])?;
        frame
            .kept
            .extend(end.kept.trim_ascii_start().starts_with(b"endstream").then_some(end.kept)?);
        Some(frame)
    }

    /// Tokens up to one of these words; before `stream`, the last of the lengths is the Length.
    fn frame(&mut self, ends: &[&[u8]]) -> Option<Frame> {
        let mut frame = Frame { kept: vec![], lens: vec![] };
        let (mut depth, mut length, mut is_length) = (0, None, false);
        loop {
            self.space(&mut frame.kept);
            let was_length = std::mem::take(&mut is_length);
            match self.rest() {
                [b'(', ..] => frame.lens.push(self.literal()?),
                [b'<', b'<', ..] | [b'>', b'>', ..] => {
                    depth += if self.rest()[0] == b'<' { 1 } else { -1 };
                    self.take(2, &mut frame.kept);
                    continue;
                }
                [b'<', ..] => frame.lens.push(self.hex()?),
                [b'/', ..] => {
                    self.at += 1;
                    let name = self.word();
                    is_length = depth == 1 && name == b"Length";
                    if name.contains(&b'#') {
                        return None; // it may be any name
                    }
                    frame.kept.push(b'/');
                    frame.kept.extend(name);
                    continue;
                }
                [b'[' | b']', ..] => {
                    self.take(1, &mut frame.kept);
                    continue;
                }
                _ => {
                    let word = self.word();
                    if word.is_empty() {
                        return None;
                    }
                    frame.kept.extend(word);
                    if was_length {
                        length = str::from_utf8(word).ok()?.parse().ok();
                    }
                    if ends.contains(&word) {
                        if word == b"stream" {
                            frame.lens.push(length?);
                        }
                        return Some(frame);
                    }
                    continue;
                }
            }
            // The last byte of a string tells the notation.
            frame.kept.push(self.file[self.at - 1]);
        }
    }

    /// Length of what a string in parentheses means.
    fn literal(&mut self) -> Option<usize> {
        let (mut len, mut depth) = (0, 0);
        loop {
            let rest = self.rest();
            let (used, meant) = match rest {
                [b'\\', b'0'..=b'7', ..] => {
                    let digits = rest[1..].iter().take(3);
                    (1 + digits.take_while(|byte| (b'0'..=b'7').contains(*byte)).count(), 1)
                }
                [b'\\', b'\r', b'\n', ..] => (3, 0),
                [b'\\', b'\r' | b'\n', ..] => (2, 0),
                [b'\\', _, ..] => (2, 1),
                [b'\r', b'\n', ..] => (2, 1),
                [b'(', ..] => {
                    depth += 1;
                    (1, usize::from(depth > 1))
                }
                [b')', ..] => {
                    depth -= 1;
                    (1, usize::from(depth > 0))
                }
                [_, ..] => (1, 1),
                [] => return None,
            };
            self.at += used;
            len += meant;
            if depth == 0 {
                return Some(len);
            }
        }
    }

    /// The same of a string in angle brackets.
    fn hex(&mut self) -> Option<usize> {
        let len = self.rest().iter().position(|&byte| byte == b'>')?;
        let digits = &self.rest()[1..len];
        self.at += len + 1;
        let is_one = digits.iter().all(|byte| byte.is_ascii_hexdigit() || is_space(*byte));
        let digits = digits.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        is_one.then_some(digits.div_ceil(2))
    }
}

fn is_space(byte: u8) -> bool {
    b"\0\t\n\x0c\r ".contains(&byte)
}

fn count(bytes: &[u8], word: &[u8]) -> usize {
    bytes.windows(word.len()).filter(|bytes| *bytes == word).count()
}
