//! Reads files of counts. No input is trusted, and reading stops at the first byte that cannot be
//! right.

use std::io::Read;

use super::{
    CountsFile, check_shards,
    content::Content,
    error::{FileError, ReadError},
    layout::{BLOCK, Header, MAGIC, MAX_HEADER},
};

impl CountsFile {
    /// Reads the bytes of a file, as [`CountsFile::read`] does.
    ///
    /// # Errors
    /// If [`CountsFile::to_bytes`] gives these bytes for no valid counts.
    pub fn parse(bytes: &[u8]) -> Result<Self, FileError> {
        Self::read(bytes).map_err(|error| match error {
            ReadError::Content(error) => error,
            ReadError::Io(error) => unreachable!("bytes in memory cannot fail: {error}"),
        })
    }

    /// Reads a file and checks all of it. Reads no more than the campaign in its header allows, and
    /// stops at bytes that cannot start such a file. Only the counts are held in memory.
    ///
    /// # Errors
    /// If the input cannot be read, or is not a file of counts.
    pub fn read(input: impl Read) -> Result<Self, ReadError> {
        let mut input = Content::new(input);
        if input.next(MAGIC.len())? != MAGIC {
            // Checked first, so that a device or a large file of another kind is refused at once.
            return Err(FileError::Magic.into());
        }
        let content = read_content(&mut input).and_then(|file| match input.next(1)?.is_empty() {
            true => Ok(file),
            false => Err(FileError::Long.into()),
        });
        // A wrong checksum is reported first, because damage can look like any other fault.
        let damaged = match &content {
            Err(ReadError::Io(_) | ReadError::Content(FileError::Long)) => false,
            Ok(_) | Err(ReadError::Content(_)) => !input.rest_has_its_sum()?,
        };
        if damaged {
            return Err(FileError::Checksum.into());
        }
        let file = content?;
        file.check_sums()?;
        Ok(file)
    }
}

/// Reads everything between the magic and the checksum.
fn read_content(input: &mut Content<impl Read>) -> Result<CountsFile, ReadError> {
    let wrong = |message: String| FileError::Header(message);
    let length = input.next(4)?.try_into().map_err(|_| wrong("it has no length".into()))?;
    let length = u32::from_le_bytes(length);
    if length > MAX_HEADER {
        let message = format!("it has {length} bytes; it may have {MAX_HEADER}");
        return Err(wrong(message).into());
    }
    let header = input.next(length as usize)?;
    if header.len() < length as usize {
        return Err(wrong("it ends too soon".into()).into());
    }
    let header = serde_json::from_slice(&header).map_err(|error| wrong(error.to_string()))?;
    let Header { campaign, hash, shards, unfinished } = header;
    if hash != campaign.hash() {
        return Err(wrong("the hash is not the campaign's".into()).into());
    }
    check_shards(&campaign, &shards, unfinished)?;
    let mut tables = vec![];
    for section in campaign.sections() {
        tables.push(read_table(input, section.len())?);
    }
    Ok(CountsFile { campaign, shards, unfinished, tables })
}

fn read_table(input: &mut Content<impl Read>, cells: usize) -> Result<Vec<u64>, ReadError> {
    let width = input.next(1)?.first().copied().map_or(0, usize::from);
    if !matches!(width, 2 | 4 | 8) {
        let message = format!("cells of {width} bytes; they have 2, 4 or 8");
        return Err(FileError::Header(message).into());
    }
    // The table grows while it is read, so that a false header of a short file takes no memory.
    let mut table = vec![];
    while table.len() < cells {
        let wanted = (cells - table.len()).min(BLOCK / width) * width;
        let block = input.next(wanted)?;
        if block.len() < wanted {
            return Err(FileError::Short.into());
        }
        table.extend(block.chunks_exact(width).map(|cell| {
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(cell);
            u64::from_le_bytes(wide)
        }));
    }
    Ok(table)
}
