//! Tokens of PDF, with their places: ISO 32000-1, §7.2 and §7.3.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The bytes end, perhaps within a token.
    End,
    /// A name, from its slash on.
    Name,
    /// An integer without a sign, below 2^63.
    Integer(u64),
    /// Another run of regular characters: a number or a keyword.
    Word,
    /// A string in parentheses.
    Literal,
    /// A string in angle brackets.
    Hex,
    /// A string in angle brackets with characters that are not hexadecimal digits.
    DamagedHex,
    ArrayStart,
    ArrayEnd,
    DictStart,
    DictEnd,
    /// A byte that cannot begin a token here.
    Stray,
}

/// Reads tokens from a position on.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    /// The end of the last token.
    pub(super) at: usize,
}

/// ISO 32000-1, table 1.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

/// Neither white space nor a delimiter.
pub(super) fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !b"()<>[]{}/%".contains(&byte)
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the remaining bytes.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Returns the next token and its start. The token ends at `at`.
    pub(super) fn next(&mut self) -> (Token, usize) {
        self.skip_space();
        let start = self.at;
        let Some(&byte) = self.bytes.get(start) else { return (Token::End, start) };
        self.at += 1;
        let next = self.bytes.get(self.at).copied();
        let token = match byte {
            b'/' => {
                self.skip_regular();
                Token::Name
            }
            b'(' => self.literal(),
            b'<' if next == Some(b'<') => self.two(Token::DictStart),
            b'>' if next == Some(b'>') => self.two(Token::DictEnd),
            b'<' => self.hex(),
            b'[' => Token::ArrayStart,
            b']' => Token::ArrayEnd,
            byte if is_regular(byte) => {
                self.skip_regular();
                let word = &self.bytes[start..self.at];
                integer(word).map_or(Token::Word, Token::Integer)
            }
            _ => Token::Stray,
        };
        (token, start)
    }

    /// Returns the start of the next token and advances, if the token is this word.
    pub(super) fn word(&mut self, word: &[u8]) -> Option<usize> {
        let before = self.at;
        let (token, start) = self.next();
        if token == Token::Word && &self.bytes[start..self.at] == word {
            return Some(start);
        }
        self.at = before;
        None
    }

    /// Returns the next token, if it is an integer.
    pub(super) fn integer(&mut self) -> Option<(u64, usize)> {
        let before = self.at;
        match self.next() {
            (Token::Integer(value), start) => Some((value, start)),
            _ => {
                self.at = before;
                None
            }
        }
    }

    /// Returns true if the next token is the last of the bytes, and so may go on after them.
    pub(super) fn is_last(&mut self) -> bool {
        self.next();
        self.at == self.bytes.len()
    }

    fn two(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'%' {
                let rest = &self.bytes[self.at..];
                self.at += memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            } else if is_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn skip_regular(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| !is_regular(byte)).unwrap_or(rest.len());
    }

    fn literal(&mut self) -> Token {
        let mut depth = 1u32;
        while let Some(skip) = memchr::memchr3(b'(', b')', b'\\', self.rest()) {
            let byte = self.bytes[self.at + skip];
            self.at += skip + 1;
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return Token::Literal,
                b')' => depth -= 1,
                _ => self.at = self.bytes.len().min(self.at + 1),
            }
        }
        self.at = self.bytes.len();
        Token::End
    }

    fn hex(&mut self) -> Token {
        let ends = |&byte: &u8| !is_regular(byte) && !is_space(byte);
        match self.rest().iter().position(ends) {
            Some(skip) => {
                let inner = &self.rest()[..skip];
                self.at += skip + 1;
                let is_digit = |&byte: &u8| byte.is_ascii_hexdigit() || is_space(byte);
                match self.bytes[self.at - 1] {
                    b'>' if inner.iter().all(is_digit) => Token::Hex,
                    b'>' => Token::DamagedHex,
                    _ => Token::Stray,
                }
            }
            None => {
                self.at = self.bytes.len();
                Token::End
            }
        }
    }
}

fn integer(word: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for &byte in word.strip_prefix(b"+").filter(|digits| !digits.is_empty()).unwrap_or(word) {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    (value < 1 << 63).then_some(value)
}

/// Returns the bytes of a name, without its slash and escapes.
pub(super) fn name_of(token: &[u8]) -> Vec<u8> {
    let mut name = vec![];
    let mut rest = token.strip_prefix(b"/").unwrap_or(token);
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| first == b'#');
        let digits = digits.and_then(|digits| Some((nibble(digits[0])?, nibble(digits[1])?)));
        rest = match digits {
            Some((high, low)) => (name.push(high << 4 | low), &after[2..]).1,
            None => (name.push(first), after).1,
        };
    }
    name
}

/// Returns the value of a hexadecimal digit.
pub(super) fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tokens, each with its text.
    fn tokens(text: &str) -> Vec<(Token, &str)> {
        let mut lexer = Lexer::new(text.as_bytes(), 0);
        let mut tokens = vec![];
        loop {
            let (token, start) = lexer.next();
            tokens.push((token, &text[start..lexer.at]));
            if token == Token::End {
                return tokens;
            }
        }
    }

    #[test]
    fn each_token_ends_where_it_should() {
        use Token::{
            ArrayEnd, ArrayStart, DamagedHex, DictEnd, DictStart, End, Hex, Integer, Literal, Name,
            Stray, Word,
        };
        for (text, expected) in [
            ("", &[][..]),
            (" \0\t\n\x0c\r% 1\r2% 3\n", &[(Integer(2), "2")]),
            ("/a/b(c)/ ", &[(Name, "/a"), (Name, "/b"), (Literal, "(c)"), (Name, "/")]),
            ("[<<>>]", &[(ArrayStart, "["), (DictStart, "<<"), (DictEnd, ">>"), (ArrayEnd, "]")]),
            ("<4 1><4z><>", &[(Hex, "<4 1>"), (DamagedHex, "<4z>"), (Hex, "<>")]),
            ("<4(1)<4%", &[(Stray, "<4("), (Integer(1), "1"), (Stray, ")"), (Stray, "<4%")]),
            ("(a(b)\\)\\\\)c", &[(Literal, "(a(b)\\)\\\\)"), (Word, "c")]),
            ("{>}", &[(Stray, "{"), (Stray, ">"), (Stray, "}")]),
            ("12 +12 007", &[(Integer(12), "12"), (Integer(12), "+12"), (Integer(7), "007")]),
            ("-1 1. + ++1", &[(Word, "-1"), (Word, "1."), (Word, "+"), (Word, "++1")]),
            ("1a]a1", &[(Word, "1a"), (ArrayEnd, "]"), (Word, "a1")]),
            ("9223372036854775807", &[(Integer((1 << 63) - 1), "9223372036854775807")]),
            ("9223372036854775808", &[(Word, "9223372036854775808")]),
            ("18446744073709551616", &[(Word, "18446744073709551616")]),
            ("99999999999999999999", &[(Word, "99999999999999999999")]),
        ] {
            let mut found = tokens(text);
            assert_eq!(found.pop(), Some((End, "")), "{text}");
            assert_eq!(found, expected, "{text}");
        }
        // The bytes may end within a token.
        for text in ["(a", "(a(b)", "(a\\", "(a\\)", "<4", "<", "("] {
            assert_eq!(tokens(text), [(End, text)], "{text}");
        }
    }

    #[test]
    fn a_word_or_an_integer_is_taken_only_if_it_is_next() {
        let mut lexer = Lexer::new(b" obj 7 R", 0);
        assert_eq!((lexer.word(b"ob"), lexer.integer(), lexer.at), (None, None, 0));
        assert_eq!((lexer.word(b"obj"), lexer.at), (Some(1), 4));
        assert_eq!((lexer.word(b"7"), lexer.at), (None, 4));
        assert_eq!((lexer.integer(), lexer.at), (Some((7, 5)), 6));
        assert_eq!(lexer.rest(), b" R");
        assert_eq!(Lexer::new(b"/R", 1).word(b"R"), Some(1));
        for (text, is_last) in
            [("obj", true), ("obj ", false), ("", true), (" ", true), ("(a", true)]
        {
            assert_eq!(Lexer::new(text.as_bytes(), 0).is_last(), is_last, "{text:?}");
        }
    }

    #[test]
    fn escapes_of_names_are_read() {
        for (token, name) in [
            ("/a#20b", &b"a b"[..]),
            ("/#41#4a#4A", b"AJJ"),
            ("/a#2", b"a#2"),
            ("/a#", b"a#"),
            ("/#2g#g2", b"#2g#g2"),
            ("/#ff#00", b"\xff\0"),
            ("/", b""),
            ("a", b"a"),
        ] {
            assert_eq!(name_of(token.as_bytes()), name, "{token}");
        }
    }
}
