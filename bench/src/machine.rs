//! What the figures of a run depend on: the machine and the versions.

use std::{fs, process::Command};

/// A line of the list: what, and its value.
pub type Fact = (String, String);

/// The processor's name.
pub fn cpu() -> String {
    from_file("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_string())
}

/// The processor's name with family and model, which tell kinds apart that share a name.
pub fn kind() -> String {
    let [family, model] = ["cpu family", "model"].map(|name| from_file("/proc/cpuinfo", name));
    match (family, model) {
        (Some(family), Some(model)) => format!("{}, family {family}, model {model}", cpu()),
        _ => cpu(),
    }
}

/// Machine, compilers and packages, as far as this machine tells.
pub fn facts() -> Vec<Fact> {
    let cpuinfo = |name| from_file("/proc/cpuinfo", name).unwrap_or_default();
    let read = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_string());
    let unknown = || "not visible".to_string();
    let mut facts: Vec<Fact> = vec![];
    let mut fact = |name: &str, value: String| facts.push((name.to_string(), value));
    let [family, model, stepping] = ["cpu family", "model", "stepping"].map(cpuinfo);
    fact("processor", format!("{}, family {family}, model {model}, stepping {stepping}", cpu()));
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processors = info.lines().filter(|line| line.starts_with("processor")).count();
    let guest =
        if cpuinfo("flags").split(' ').any(|flag| flag == "hypervisor") { "yes" } else { "no" };
    fact("virtual machine", guest.to_string());
    fact("processors", processors.to_string());
    let sys = "/sys/devices/system/cpu";
    fact(
        "second hardware threads",
        read(&format!("{sys}/smt/active")).map_or_else(unknown, |x| {
            if x == "1" { "on".to_string() } else { "off, or hidden by the host".to_string() }
        }),
    );
    let governor = read(&format!("{sys}/cpu0/cpufreq/scaling_governor"));
    fact("frequency governor", governor.unwrap_or_else(unknown));
    fact("kernel", read("/proc/sys/kernel/osrelease").unwrap_or_else(unknown));
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = system.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    fact("system", name.unwrap_or("unknown").trim_matches('"').to_string());
    let revision = says("git", &["describe", "--always", "--dirty", "--abbrev=12"]);
    fact("revision of this project", revision);
    for (name, program, args) in [
        ("rustc", "rustc", &["--version"][..]),
        ("C compiler", "cc", &["--version"]),
        ("go", "go", &["version"]),
        ("openssl command", "openssl", &["version"]),
    ] {
        fact(name, says(program, args));
    }
    facts
}

/// The kind of file system `path` is on.
pub fn file_system(path: &std::path::Path) -> String {
    says("stat", &["--file-system", "--format=%T", &path.to_string_lossy()])
}

/// The first line a program prints.
fn says(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().ok().filter(|out| out.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.and_then(|text| Some(text.lines().next()?.to_string()))
        .unwrap_or_else(|| "not found".to_string())
}

/// The value of the first `name : value` of a file.
fn from_file(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_string())
    })
}
