//! The two syntaxes of configuration files: lines of settings, and statements in braces.

/// A line with its number, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
}

/// Lines without comments and surrounding space. A line that ends in one of `joins` continues on
/// the next.
pub(super) fn lines(text: &str, comments: &[char], joins: Option<char>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut goes_on = false;
    for (at, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if !goes_on && (line.is_empty() || line.starts_with(comments)) {
            continue;
        }
        let (part, next) = match joins.and_then(|sign| line.strip_suffix(sign)) {
            Some(part) => (part, true),
            None => (line, false),
        };
        match lines.last_mut() {
            Some(last) if goes_on => {
                last.text.push(' ');
                last.text.push_str(part.trim());
            }
            _ => lines.push(Line { number: at + 1, text: part.trim_end().to_owned() }),
        }
        goes_on = next;
    }
    lines
}

/// Removes a comment that begins at an unquoted `#`, even inside a word.
pub(super) fn without_comment(line: &str) -> &str {
    let (mut quote, mut escaped) = (None, false);
    for (at, sign) in line.char_indices() {
        match (sign, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            (_, Some(open)) if sign == open => quote = None,
            ('"' | '\'', None) => quote = Some(sign),
            ('#', None) => return &line[..at],
            _ => {}
        }
    }
    line
}

/// Splits `name = value`, and removes quotes around the value.
pub(super) fn setting(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    Some((name.trim(), unquoted(value.trim())))
}

/// Removes the quotes around a text.
pub(super) fn unquoted(text: &str) -> &str {
    let inside = |quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// Splits a line into words. Quotes keep a word together, and `#` at the start of a word ends the
/// line.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
            (_, Some(open)) if sign == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            ('\\', _) => word.get_or_insert_default().extend(signs.next()),
            ('#', None) if word.is_none() => break,
            (_, None) if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

/// A statement of the brace syntax: its words, and the line of the first.
pub(super) struct Statement {
    pub(super) line: usize,
    pub(super) words: Vec<String>,
}

/// Statements that end with `;`, `{` or `}`. Comments are `#` and, if `slashes`, `//` and `/* */`.
pub(super) fn statements(text: &str, slashes: bool) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let (mut line, mut first) = (1, 1);
    let mut signs = text.chars().peekable();
    let mut end = |words: &mut Vec<String>, word: &mut Option<String>, first| {
        words.extend(word.take());
        if !words.is_empty() {
            statements.push(Statement { line: first, words: std::mem::take(words) });
        }
    };
    while let Some(sign) = signs.next() {
        if word.is_none() && words.is_empty() {
            first = line;
        }
        line += usize::from(sign == '\n');
        match sign {
            '#' if word.is_none() => while signs.next_if(|sign| *sign != '\n').is_some() {},
            '/' if slashes && word.is_none() && signs.peek() == Some(&'/') => {
                while signs.next_if(|sign| *sign != '\n').is_some() {}
            }
            '/' if slashes && word.is_none() && signs.peek() == Some(&'*') => {
                signs.next();
                let mut before = ' ';
                for sign in signs.by_ref() {
                    line += usize::from(sign == '\n');
                    if before == '*' && sign == '/' {
                        break;
                    }
                    before = sign;
                }
            }
            '"' | '\'' => {
                let word = word.get_or_insert_default();
                while let Some(inside) = signs.next() {
                    line += usize::from(inside == '\n');
                    match inside {
                        '\\' => {
                            let escaped = signs.next();
                            line += usize::from(escaped == Some('\n'));
                            word.extend(escaped);
                        }
                        _ if inside == sign => break,
                        _ => word.push(inside),
                    }
                }
            }
            ';' | '{' | '}' => end(&mut words, &mut word, first),
            _ if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    end(&mut words, &mut word, first);
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_quotes_hold_together() {
        assert_eq!(words(r#"a "b c"  d\ e 'f' "" # g"#), ["a", "b c", "d e", "f", ""]);
        assert_eq!(words("a#b"), ["a#b"]);
    }

    #[test]
    fn comments_are_no_lines() {
        let read = lines("# a\n  ; b\nc = 1 \\\n  2\n\nd", &['#', ';'], Some('\\'));
        let read: Vec<(usize, &str)> =
            read.iter().map(|line| (line.number, line.text.as_str())).collect();
        assert_eq!(read, [(3, "c = 1 2"), (6, "d")]);
    }

    #[test]
    fn statements_tell_their_line() {
        let text = "a b; # c d;\n// e\n/* f\n; */ g {\n 'h;\n' i;\n}";
        let read = statements(text, true);
        let read: Vec<(usize, Vec<&str>)> = read
            .iter()
            .map(|one| (one.line, one.words.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(read, [(1, vec!["a", "b"]), (4, vec!["g"]), (5, vec!["h;\n", "i"])]);
    }
}
