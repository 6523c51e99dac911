//! Tests the statistics by their public interface.

mod campaign;
mod cells;
mod ent;
mod list;
mod published;
mod sampler;
mod table;
mod verify;

/// The tables of a campaign before anything is counted.
fn empty_tables(campaign: &arcfour_stats::campaign::Campaign) -> Vec<Vec<u64>> {
    campaign.sections().iter().map(|section| vec![0; section.len()]).collect()
}
