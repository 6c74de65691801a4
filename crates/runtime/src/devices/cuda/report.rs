//! What CUDA devices there are, for people.

use super::super::report::{Found, Place};
use super::driver::{self, Driver, driver};
use super::nvrtc_available;
use crate::memory::bytes_in_words;

/// The GPUs in the order of their numbers, and what is missing: the driver, GPUs, or the compiler.
pub(crate) fn report() -> Place {
    let mut place = Place { backend: "cuda", devices: Vec::new(), missing: Vec::new() };
    let compiler = nvrtc_available();
    let devices = driver().and_then(|driver| match driver.device_count()? {
        0 => Err("no GPU: the NVIDIA driver is there, but it sees none".to_string()),
        count => (0..count).map(|index| found(driver, index, &compiler)).collect(),
    });
    match devices {
        Ok(devices) => place.devices = devices,
        Err(why) => place.missing.push(why),
    }
    place.missing.extend(compiler.err());
    place
}

fn found(driver: &Driver, index: usize, compiler: &Result<String, String>) -> Result<Found, String> {
    let device = driver.device(index)?;
    let major = driver.device_attribute(device, driver::COMPUTE_MAJOR)?;
    let minor = driver.device_attribute(device, driver::COMPUTE_MINOR)?;
    let mut facts = vec![format!("sm_{major}{minor}, {}", bytes_in_words(driver.device_memory(device)?))];
    facts.extend(compiler.clone());
    Ok(Found { name: driver.device_name(device)?, facts })
}
