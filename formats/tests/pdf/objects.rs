//! PDF files of given objects, for these tests and the tests of the commands.

/// Makes a file of these objects, numbered from 1, with a cross-reference table. `extra` is added
/// to the trailer.
pub fn pdf_of(objects: &[Vec<u8>], extra: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (n, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file.extend(format!("{} 0 obj\n", n + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let at = file.len();
    let size = objects.len() + 1;
    file.extend(table.bytes());
    file.extend(format!("trailer\n<< /Size {size} /Root 1 0 R {extra} >>\n").bytes());
    file.extend(format!("startxref\n{at}\n%%EOF\n").bytes());
    file
}
