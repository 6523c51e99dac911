//! Names the processor.

use std::fs;

/// The processor's name with family and model, which tell kinds apart that share a name:
/// `AMD EPYC, family 26, model 2`. The source is Linux's `/proc/cpuinfo`. Without it the name is
/// shorter or `unknown processor`.
pub fn processor() -> String {
    let name = cpuinfo("model name").unwrap_or_else(|| "unknown processor".to_string());
    match (cpuinfo("cpu family"), cpuinfo("model")) {
        (Some(family), Some(model)) => format!("{name}, family {family}, model {model}"),
        _ => name,
    }
}

/// Returns the first processor's value of this field.
pub fn cpuinfo(name: &str) -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_string())
    })
}
