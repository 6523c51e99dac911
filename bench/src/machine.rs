//! The machine and the versions, on which the figures of a run depend.

use std::{env, fs, process::Command};

use arcfour_measure::{cpuinfo, processor};

/// A line of the list: a name and its value.
pub type Fact = (String, String);

/// Returns true if `program` is an executable on `PATH`.
pub fn installed(program: &str) -> bool {
    env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(program).exists())
}

/// Lists machine, compilers and packages, as far as they are known.
pub fn facts() -> Vec<Fact> {
    let cpuinfo = |name| cpuinfo(name).unwrap_or_default();
    let read = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_string());
    let unknown = || "not visible".to_string();
    let mut facts: Vec<Fact> = vec![];
    let mut fact = |name: &str, value: String| facts.push((name.to_string(), value));
    fact("processor", format!("{}, stepping {}", processor(), cpuinfo("stepping")));
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
        ("java", "java", &["--version"]),
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
