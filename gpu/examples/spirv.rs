//! Writes the kernel's SPIR-V for 64 lanes and keys of 5 bytes, as wgpu gives it to a Vulkan
//! driver: `cargo run -p arcfour-gpu --features wgpu --example spirv -- FILE`.

use std::{env, fs};

use wgpu::naga::{
    ShaderStage,
    back::spv::{Options, PipelineOptions, ZeroInitializeWorkgroupMemoryMode, write_vec},
    front::wgsl,
    proc::{BoundsCheckPolicies, BoundsCheckPolicy},
    valid::{Capabilities, ValidationFlags, Validator},
};

const SIZES: &str = "const LANES = 64u;\nconst KEY_BYTES = 5u;\nconst RC4_BYTES = 5u;\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = env::args_os().nth(1).ok_or("the command names no file")?;
    let module = wgsl::parse_str(&format!("{SIZES}{}", include_str!("../src/kernel.wgsl")))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module)?;
    let options = Options {
        lang_version: (1, 3),
        // wgpu checks indexes and bounds loops, unless a program vouches for its shader.
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            ..Default::default()
        },
        force_loop_bounding: true,
        zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::None,
        ..Default::default()
    };
    let entry =
        PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: "keystream".to_owned() };
    let words = write_vec(&module, &info, &options, Some(&entry))?;
    fs::write(path, words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>())?;
    Ok(())
}
