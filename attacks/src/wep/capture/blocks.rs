//! What old and unusual capture programs write, as the blocks that current programs write.

use pcap_parser::{Block, EnhancedPacketBlock, Linktype, PcapBlockOwned};

/// The type of the Packet Block, which Wireshark wrote before 2012, in both byte orders. Source:
/// draft-ietf-opsawg-pcapng, appendix A.
const PACKET: [u32; 2] = [2, 2 << 24];
/// The bits of a pcap file's link type. The bits above tell the length of the FCS.
const LINK: i32 = 0xffff;

/// Returns a Packet Block as an Enhanced Packet Block. The header of a pcap file keeps the link type
/// alone. Every other block is returned as it is.
pub fn current(block: PcapBlockOwned<'_>) -> PcapBlockOwned<'_> {
    match block {
        PcapBlockOwned::LegacyHeader(mut header) => {
            header.network = Linktype(header.network.0 & LINK);
            PcapBlockOwned::LegacyHeader(header)
        }
        PcapBlockOwned::NG(Block::Unknown(old)) if PACKET.contains(&old.block_type) => {
            let little = old.block_type == PACKET[0];
            let number = |bytes| match little {
                true => u32::from_le_bytes(bytes),
                false => u32::from_be_bytes(bytes),
            };
            let Some((head, data)) = old.data.split_first_chunk::<20>() else {
                return PcapBlockOwned::NG(Block::Unknown(old));
            };
            let [first, ts_high, ts_low, caplen, origlen] =
                std::array::from_fn(|n| number(head.as_chunks::<4>().0[n]));
            PcapBlockOwned::NG(Block::EnhancedPacket(EnhancedPacketBlock {
                block_type: old.block_type,
                block_len1: old.block_len1,
                // The other half counts the packets lost before.
                if_id: if little { first & 0xffff } else { first >> 16 },
                ts_high,
                ts_low,
                caplen,
                origlen,
                data,
                options: Vec::new(),
                block_len2: old.block_len2,
            }))
        }
        other => other,
    }
}
