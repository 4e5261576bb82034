// Which flower is this? The network of examples/01_mlp, called from Rust through its C interface.
use std::alloc::{alloc, Layout};
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
struct Inputs {
    lengths: *const f32,
}

#[repr(C)]
struct Outputs {
    probability: *mut f32,
}

// The beginning of flowers_model_info in flowers.h.
#[repr(C)]
struct Info {
    texts: [*const c_char; 3],
    ports: [*const c_void; 2],
    counts: [u32; 2],
    arena_bytes: usize,
    arena_align: usize,
}

#[link(name = "flowers", kind = "static")]
extern "C" {
    fn flowers_run(inputs: *const Inputs, outputs: *const Outputs, arena: *mut c_void) -> c_int;
    fn flowers_info() -> *const Info;
    fn flowers_status_text(status: c_int) -> *const c_char;
}

/// The model with its scratch memory; one for each thread.
struct Flowers {
    arena: *mut u8,
}

impl Flowers {
    fn new() -> Self {
        unsafe {
            let info = &*flowers_info();
            let layout = Layout::from_size_align(info.arena_bytes.max(1), info.arena_align);
            Flowers { arena: alloc(layout.expect("a valid layout")) }
        }
    }

    fn run(&mut self, lengths: &[f32; 4]) -> Result<[f32; 3], String> {
        let mut probability = [0.0; 3];
        let inputs = Inputs { lengths: lengths.as_ptr() };
        let outputs = Outputs { probability: probability.as_mut_ptr() };
        unsafe {
            match flowers_run(&inputs, &outputs, self.arena.cast()) {
                0 => Ok(probability),
                status => Err(CStr::from_ptr(flowers_status_text(status)).to_string_lossy().into()),
            }
        }
    }
}

fn main() -> Result<(), String> {
    let names = ["setosa", "versicolor", "virginica"];
    let probability = Flowers::new().run(&[6.1, 2.9, 4.7, 1.4])?;
    let best = (0..3).max_by(|&a, &b| probability[a].total_cmp(&probability[b])).unwrap();
    println!("It is a {} ({:.1} %).", names[best], 100.0 * probability[best]);
    Ok(())
}
