//! A cryptographic bill of materials: CycloneDX 1.6.
//!
//! The crate cyclonedx-bom writes at most 1.5, which has no cryptographic assets.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{BLIND, HOME, VERSION};
use crate::finding::Finding;
use crate::survey::Outcome;

/// Writes each kind of RC4 as an asset, and each finding as an occurrence of its asset. An asset is
/// a protocol if the rule says so, else an algorithm. Protocols refer to the algorithm of their
/// key.
pub fn cyclonedx(outcome: &Outcome) -> Value {
    let mut algorithms: BTreeMap<Option<u32>, Vec<Value>> = BTreeMap::new();
    let mut protocols: BTreeMap<(String, &str, Option<u32>), Vec<Value>> = BTreeMap::new();
    for finding in &outcome.findings {
        let asset = &finding.rule.rule().asset;
        let bits = asset.bits.or_else(|| finding.fact("key bits")?.parse().ok());
        let occurrences = algorithms.entry(bits).or_default();
        match &asset.protocol {
            None => occurrences.push(occurrence(finding)),
            Some(kind) => {
                let name = finding.rule.rule().title();
                protocols.entry((name, kind, bits)).or_default().push(occurrence(finding));
            }
        }
    }
    let components: Vec<Value> = algorithms
        .into_iter()
        .map(|(bits, occurrences)| algorithm(bits, occurrences))
        .chain(
            protocols
                .into_iter()
                .enumerate()
                .map(|(n, (asset, occurrences))| protocol(n, asset, occurrences)),
        )
        .collect();
    let is_cut = outcome.stopped || !outcome.unread.is_empty();
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "tools": {"components": [{"type": "application", "name": HOME, "version": VERSION}]},
            "properties": limits(outcome),
        },
        "components": components,
        // No survey sees all RC4.
        "compositions": [{"aggregate": if is_cut { "incomplete" } else { "unknown" }}],
    })
}

/// Writes what the survey did not see as properties.
fn limits(outcome: &Outcome) -> Vec<Value> {
    let property =
        |name: &str, value: String| json!({"name": format!("arcfour:{name}"), "value": value});
    let unread = outcome.unread.iter().map(|(place, reason)| format!("{place}: {reason}"));
    [property("stopped", outcome.stopped.to_string())]
        .into_iter()
        .chain(unread.map(|one| property("unread", one)))
        .chain(BLIND.map(|one| property("not-seen", one.to_owned())))
        .collect()
}

fn name(bits: Option<u32>) -> String {
    bits.map_or_else(|| "RC4".to_owned(), |bits| format!("RC4-{bits}"))
}

fn with_evidence(mut component: Value, occurrences: Vec<Value>) -> Value {
    if !occurrences.is_empty() {
        component["evidence"] = json!({"occurrences": occurrences});
    }
    component
}

fn algorithm(bits: Option<u32>, occurrences: Vec<Value>) -> Value {
    let mut properties = json!({
        "primitive": "stream-cipher",
        "cryptoFunctions": ["encrypt", "decrypt"],
        "nistQuantumSecurityLevel": 0,
    });
    if let Some(bits) = bits {
        properties["parameterSetIdentifier"] = bits.to_string().into();
        properties["classicalSecurityLevel"] = bits.into();
    }
    let component = json!({
        "type": "cryptographic-asset",
        "bom-ref": name(bits),
        "name": name(bits),
        "cryptoProperties": {
            "assetType": "algorithm",
            "algorithmProperties": properties,
            "oid": "1.2.840.113549.3.4",
        },
    });
    with_evidence(component, occurrences)
}

fn protocol(
    number: usize,
    (what, kind, bits): (String, &str, Option<u32>),
    occurrences: Vec<Value>,
) -> Value {
    let component = json!({
        "type": "cryptographic-asset",
        "bom-ref": format!("protocol-{}", number + 1),
        "name": what,
        "cryptoProperties": {
            "assetType": "protocol",
            "protocolProperties": {"type": kind, "cryptoRefArray": [name(bits)]},
        },
    });
    with_evidence(component, occurrences)
}

fn occurrence(finding: &Finding) -> Value {
    let mut occurrence = json!({
        "location": finding.place.to_string(),
        "additionalContext": format!("{}: {}", finding.what(), finding.evidence),
    });
    let line = finding
        .place
        .within
        .as_ref()
        .and_then(|within| within.strip_prefix("line ")?.parse::<u32>().ok());
    if let Some(line) = line {
        occurrence["location"] = finding.place.path.to_string_lossy().into();
        occurrence["line"] = line.into();
    }
    occurrence
}
