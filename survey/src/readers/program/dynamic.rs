//! The dynamic symbols of an ELF program without section headers, as its loader finds them.

use object::{
    ReadRef as _, elf,
    read::elf::{
        Dyn as _, ElfFile, FileHeader, GnuHashTable, HashTable, ProgramHeader as _, Sym as _,
    },
};

/// Returns the name of each dynamic symbol, and true if the program imports it.
pub(super) fn symbols<'data>(file: &object::File<'data>) -> Vec<(&'data [u8], bool)> {
    let symbols = match file {
        object::File::Elf32(file) => of(file),
        object::File::Elf64(file) => of(file),
        _ => None,
    };
    symbols.unwrap_or_default()
}

fn of<'data, Elf: FileHeader>(file: &ElfFile<'data, Elf>) -> Option<Vec<(&'data [u8], bool)>> {
    let (endian, bytes, segments) = (file.endian(), file.data(), file.elf_program_headers());
    let dynamic = segments.iter().find_map(|segment| segment.dynamic(endian, bytes).ok()?)?;
    let value = |tag| -> Option<u64> {
        let entries = dynamic.iter().take_while(|entry| entry.d_tag(endian) != elf::DT_NULL);
        let mut entries = entries.filter(|entry| entry.d_tag(endian) == tag);
        Some(entries.next()?.d_val(endian).into())
    };
    // The bytes from an address to the end of its segment.
    let at = |address: u64| -> Option<&'data [u8]> {
        let mut loaded = segments.iter().filter(|one| one.p_type(endian) == elf::PT_LOAD);
        loaded.find_map(|segment| {
            let start = address.checked_sub(segment.p_vaddr(endian).into())?;
            let bytes = segment.data(endian, bytes).ok()?.get(usize::try_from(start).ok()?..)?;
            (!bytes.is_empty()).then_some(bytes)
        })
    };
    let (table, names) = (value(elf::DT_SYMTAB)?, value(elf::DT_STRTAB)?);
    let of_hash = || {
        Some(HashTable::<Elf>::parse(endian, at(value(elf::DT_HASH)?)?).ok()?.symbol_table_length())
    };
    let of_gnu_hash = || {
        let hash = GnuHashTable::<Elf>::parse(endian, at(value(elf::DT_GNU_HASH)?)?).ok()?;
        hash.symbol_table_length(endian)
    };
    // A program without exports may have no hash. Linkers write the names after the symbols.
    let size = size_of::<Elf::Sym>();
    let to_names = || names.checked_sub(table).map(|bytes| (bytes / size as u64) as u32);
    let count = of_hash().or_else(of_gnu_hash).or_else(to_names)? as usize;
    let (table, names) = (at(table)?, at(names)?);
    let symbols = table.read_slice_at::<Elf::Sym>(0, count.min(table.len() / size)).ok()?;
    let symbol = |symbol: &Elf::Sym| {
        let name = names.get(symbol.st_name(endian) as usize..)?.split(|byte| *byte == 0).next()?;
        (!name.is_empty()).then_some((name, symbol.is_undefined(endian)))
    };
    Some(symbols.iter().filter_map(symbol).collect())
}
