//! The adapters of this machine.

use arcfour_attacks::search::{self, Search};
use arcfour_stats::{campaign::Campaign, sampler};

#[cfg(feature = "wgpu")]
use crate::device::{Counter, PATIENCE, Searcher};
use crate::error::Error;

/// A GPU, or a program that plays one, as its driver describes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Adapter {
    /// The name of the device.
    pub name: String,
    /// The name and version of the driver.
    pub driver: String,
    /// The interface to the driver: vulkan, metal or dx12.
    pub api: &'static str,
    /// The kind of device: discrete, integrated, virtual, software or other.
    pub kind: &'static str,
    /// True if the device is a program on the processor.
    pub is_software: bool,
    /// Bytes of memory that a workgroup may share.
    pub workgroup_memory: u32,
    #[cfg(feature = "wgpu")]
    pub(crate) handle: wgpu::Adapter,
}

/// Returns the adapters of this machine: none without a driver, or without the feature `wgpu`.
pub fn adapters() -> Vec<Adapter> {
    #[cfg(feature = "wgpu")]
    return with_drivers();
    #[cfg(not(feature = "wgpu"))]
    vec![]
}

impl Adapter {
    /// Prepares the adapter for a search.
    ///
    /// # Errors
    /// If it cannot do the search.
    pub fn open(&self, search: &Search) -> Result<Box<dyn search::Device>, Error> {
        #[cfg(feature = "wgpu")]
        return Ok(Box::new(Searcher::open(
            &self.handle,
            self.workgroup_memory,
            search,
            PATIENCE,
        )?));
        #[cfg(not(feature = "wgpu"))]
        unreachable!("there is no adapter to prepare for {search:?}");
    }

    /// Prepares the adapter to count what a campaign counts.
    ///
    /// # Errors
    /// If it cannot count that.
    pub fn counter(&self, campaign: &Campaign) -> Result<Box<dyn sampler::Device>, Error> {
        #[cfg(feature = "wgpu")]
        return Ok(Box::new(Counter::open(
            &self.handle,
            self.workgroup_memory,
            campaign,
            PATIENCE,
        )?));
        #[cfg(not(feature = "wgpu"))]
        unreachable!("there is no adapter to prepare for {campaign:?}");
    }
}

/// The adapters that have a driver.
#[cfg(feature = "wgpu")]
fn with_drivers() -> Vec<Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(descriptor);
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    let described = |handle: wgpu::Adapter| {
        let info = handle.get_info();
        Adapter {
            name: info.name,
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            api: info.backend.to_str(),
            kind: match info.device_type {
                wgpu::DeviceType::DiscreteGpu => "discrete",
                wgpu::DeviceType::IntegratedGpu => "integrated",
                wgpu::DeviceType::VirtualGpu => "virtual",
                wgpu::DeviceType::Cpu => "software",
                wgpu::DeviceType::Other => "other",
            },
            is_software: info.device_type == wgpu::DeviceType::Cpu,
            workgroup_memory: handle.limits().max_compute_workgroup_storage_size,
            handle,
        }
    };
    adapters.into_iter().map(described).collect()
}
