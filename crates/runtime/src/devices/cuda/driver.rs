//! The CUDA driver: the functions that are used, opened at run time.
//!
//! One method per function, which turns a status into words. Types are those of `cuda.h`: handles are pointers, a device address is a
//! 64-bit number. All methods act on the context that is current on the calling thread.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use libloading::Library;

use super::library;

pub(super) type Context = *mut c_void;
pub(super) type Module = *mut c_void;
pub(super) type Function = *mut c_void;
pub(super) type Stream = *mut c_void;
pub(super) type Event = *mut c_void;
pub(super) type Pool = *mut c_void;
pub(super) type Graph = *mut c_void;
pub(super) type Node = *mut c_void;
pub(super) type Started = *mut c_void;

/// The status that means that there is no memory.
pub(super) const OUT_OF_MEMORY: c_int = 2;

/// Attributes of devices, as `cuda.h` numbers them.
pub(super) const MULTIPROCESSORS: c_int = 16;
pub(super) const COMPUTE_MAJOR: c_int = 75;
pub(super) const COMPUTE_MINOR: c_int = 76;
pub(super) const MEMORY_POOLS: c_int = 115;
const POOL_RELEASE_THRESHOLD: c_int = 4;

/// Attributes of functions.
pub(super) const SHARED_BYTES: c_int = 1;
pub(super) const LOCAL_BYTES: c_int = 3;
pub(super) const REGISTERS: c_int = 4;

/// Host memory that the GPU reads and writes by itself.
pub(super) type Pinned = *mut c_void;

/// A launch of a graph, as `cuda.h` lays it out.
#[repr(C)]
pub(super) struct KernelNode {
    function: Function,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
}

/// Zeroing as a part of a graph, as `cuda.h` lays it out.
#[repr(C)]
pub(super) struct ZeroNode {
    address: u64,
    pitch: usize,
    value: c_uint,
    element_bytes: c_uint,
    width: usize,
    height: usize,
}

impl ZeroNode {
    fn new(address: u64, bytes: usize) -> ZeroNode {
        ZeroNode { address, pitch: 0, value: 0, element_bytes: 1, width: bytes, height: 1 }
    }
}

/// A launch of a graph; `values` are what the parameters' values are read from.
pub(super) struct GraphLaunch<'a> {
    pub(super) function: Function,
    pub(super) grid: u32,
    pub(super) block: u32,
    pub(super) values: &'a [u64],
}

impl GraphLaunch<'_> {
    fn with<R>(self, call: impl FnOnce(&KernelNode) -> R) -> R {
        let mut params: Vec<*mut c_void> =
            self.values.iter().map(|v| std::ptr::from_ref(v).cast_mut().cast()).collect();
        call(&KernelNode {
            function: self.function,
            grid: [self.grid, 1, 1],
            block: [self.block, 1, 1],
            shared_bytes: 0,
            params: params.as_mut_ptr(),
            extra: std::ptr::null_mut(),
        })
    }
}

macro_rules! driver {
    ($($field:ident = $symbol:literal ($($ty:ty),*);)*) => {
        /// The opened driver.
        pub(super) struct Driver {
            $($field: unsafe extern "C" fn($($ty),*) -> c_int,)*
            _library: Library,
        }

        fn open() -> Result<Driver, String> {
            let library = library::driver()?;
            let driver = Driver {
                $($field: {
                    // SAFETY: the types are those of cuda.h, and the library is kept for ever.
                    let symbol = unsafe { library.get(concat!($symbol, "\0").as_bytes()) };
                    *symbol.map_err(|e| format!("the NVIDIA driver is too old, it has no {}: {e}", $symbol))?
                },)*
                _library: library,
            };
            // SAFETY: the first call, as the driver wants it.
            driver.check(unsafe { (driver.init)(0) }, "starting the NVIDIA driver")?;
            Ok(driver)
        }
    };
}

driver! {
    init = "cuInit"(c_uint);
    error_words = "cuGetErrorString"(c_int, *mut *const c_char);
    device_count = "cuDeviceGetCount"(*mut c_int);
    device_get = "cuDeviceGet"(*mut c_int, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    device_memory = "cuDeviceTotalMem_v2"(*mut usize, c_int);
    device_pool = "cuDeviceGetDefaultMemPool"(*mut Pool, c_int);
    pool_set = "cuMemPoolSetAttribute"(Pool, c_int, *mut c_void);
    pool_trim = "cuMemPoolTrimTo"(Pool, usize);
    context_retain = "cuDevicePrimaryCtxRetain"(*mut Context, c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2"(c_int);
    context_set = "cuCtxSetCurrent"(Context);
    stream_create = "cuStreamCreate"(*mut Stream, c_uint);
    stream_destroy = "cuStreamDestroy_v2"(Stream);
    stream_wait = "cuStreamSynchronize"(Stream);
    alloc = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    alloc_async = "cuMemAllocAsync"(*mut u64, usize, Stream);
    free_async = "cuMemFreeAsync"(u64, Stream);
    alloc_host = "cuMemAllocHost_v2"(*mut *mut c_void, usize);
    free_host = "cuMemFreeHost"(*mut c_void);
    copy_in = "cuMemcpyHtoDAsync_v2"(u64, *const c_void, usize, Stream);
    copy_out = "cuMemcpyDtoHAsync_v2"(*mut c_void, u64, usize, Stream);
    set_bytes = "cuMemsetD8Async"(u64, u8, usize, Stream);
    module_load = "cuModuleLoadData"(*mut Module, *const c_void);
    module_unload = "cuModuleUnload"(Module);
    module_function = "cuModuleGetFunction"(*mut Function, Module, *const c_char);
    function_attribute = "cuFuncGetAttribute"(*mut c_int, c_int, Function);
    launch = "cuLaunchKernel"(Function, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Stream, *mut *mut c_void, *mut *mut c_void);
    graph_create = "cuGraphCreate"(*mut Graph, c_uint);
    graph_destroy = "cuGraphDestroy"(Graph);
    graph_add_kernel = "cuGraphAddKernelNode"(*mut Node, Graph, *const Node, usize, *const KernelNode);
    graph_add_zero = "cuGraphAddMemsetNode"(*mut Node, Graph, *const Node, usize, *const ZeroNode, Context);
    graph_instantiate = "cuGraphInstantiateWithFlags"(*mut Started, Graph, u64);
    graph_launch = "cuGraphLaunch"(Started, Stream);
    graph_set_kernel = "cuGraphExecKernelNodeSetParams"(Started, Node, *const KernelNode);
    graph_set_zero = "cuGraphExecMemsetNodeSetParams"(Started, Node, *const ZeroNode, Context);
    graph_forget = "cuGraphExecDestroy"(Started);
    event_create = "cuEventCreate"(*mut Event, c_uint);
    event_destroy = "cuEventDestroy_v2"(Event);
    event_record = "cuEventRecord"(Event, Stream);
    event_wait = "cuEventSynchronize"(Event);
    event_elapsed = "cuEventElapsedTime"(*mut f32, Event, Event);
}

/// The driver, or why there is none.
pub(super) fn driver() -> Result<&'static Driver, String> {
    static OPENED: OnceLock<Result<Driver, String>> = OnceLock::new();
    OPENED.get_or_init(open).as_ref().map_err(Clone::clone)
}

impl Driver {
    fn check(&self, status: c_int, doing: &str) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        let mut words = std::ptr::null();
        // SAFETY: the driver points to a constant text, or leaves the pointer.
        let words = unsafe {
            (self.error_words)(status, &mut words);
            if words.is_null() { "unknown error".into() } else { CStr::from_ptr(words).to_string_lossy() }
        };
        Err(format!("CUDA failed at {doing}: {words} (error {status})"))
    }

    pub(super) fn device_count(&self) -> Result<usize, String> {
        let mut count = 0;
        // SAFETY: an integer to write to; so in the next functions.
        self.check(unsafe { (self.device_count)(&mut count) }, "counting GPUs")?;
        Ok(count.max(0) as usize)
    }

    pub(super) fn device(&self, index: usize) -> Result<c_int, String> {
        let mut device = 0;
        self.check(unsafe { (self.device_get)(&mut device, index as c_int) }, "opening a GPU")?;
        Ok(device)
    }

    pub(super) fn device_name(&self, device: c_int) -> Result<String, String> {
        let mut name = [0 as c_char; 256];
        self.check(unsafe { (self.device_name)(name.as_mut_ptr(), 255, device) }, "asking for a GPU's name")?;
        // SAFETY: the last byte is zero in any case.
        Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
    }

    pub(super) fn device_attribute(&self, device: c_int, which: c_int) -> Result<i32, String> {
        let mut value = 0;
        self.check(unsafe { (self.device_attribute)(&mut value, which, device) }, "asking about a GPU")?;
        Ok(value)
    }

    pub(super) fn device_memory(&self, device: c_int) -> Result<u64, String> {
        let mut bytes = 0;
        self.check(unsafe { (self.device_memory)(&mut bytes, device) }, "asking for a GPU's memory")?;
        Ok(bytes as u64)
    }

    /// The pool of a device, told to keep what is freed.
    pub(super) fn keeping_pool(&self, device: c_int) -> Result<Pool, String> {
        let mut pool = std::ptr::null_mut();
        self.check(unsafe { (self.device_pool)(&mut pool, device) }, "opening the memory pool")?;
        let mut threshold = u64::MAX;
        let value = std::ptr::from_mut(&mut threshold).cast();
        self.check(unsafe { (self.pool_set)(pool, POOL_RELEASE_THRESHOLD, value) }, "setting up the memory pool")?;
        Ok(pool)
    }

    pub(super) fn trim_pool(&self, pool: Pool) -> Result<(), String> {
        self.check(unsafe { (self.pool_trim)(pool, 0) }, "emptying the memory pool")
    }

    pub(super) fn retain_context(&self, device: c_int) -> Result<Context, String> {
        let mut context = std::ptr::null_mut();
        self.check(unsafe { (self.context_retain)(&mut context, device) }, "opening a GPU's context")?;
        Ok(context)
    }

    pub(super) fn release_context(&self, device: c_int) {
        // SAFETY: retained before, once for each time.
        let _ = unsafe { (self.context_release)(device) };
    }

    pub(super) fn set_context(&self, context: Context) -> Result<(), String> {
        self.check(unsafe { (self.context_set)(context) }, "entering a GPU's context")
    }

    pub(super) fn create_stream(&self) -> Result<Stream, String> {
        let mut stream = std::ptr::null_mut();
        const NON_BLOCKING: c_uint = 1;
        self.check(unsafe { (self.stream_create)(&mut stream, NON_BLOCKING) }, "making a stream")?;
        Ok(stream)
    }

    pub(super) fn destroy_stream(&self, stream: Stream) {
        // SAFETY: created before, used no more.
        let _ = unsafe { (self.stream_destroy)(stream) };
    }

    pub(super) fn wait(&self, stream: Stream) -> Result<(), String> {
        self.check(unsafe { (self.stream_wait)(stream) }, "running kernels")
    }

    /// New memory; none where there is not enough.
    pub(super) fn alloc(&self, bytes: usize, pool: bool, stream: Stream) -> Result<Option<u64>, String> {
        let mut address = 0;
        let status = unsafe {
            match pool {
                true => (self.alloc_async)(&mut address, bytes, stream),
                false => (self.alloc)(&mut address, bytes),
            }
        };
        if status == OUT_OF_MEMORY {
            return Ok(None);
        }
        self.check(status, "allocating memory")?;
        Ok(Some(address))
    }

    pub(super) fn free(&self, address: u64, pool: bool, stream: Stream) {
        // SAFETY: allocated before in the same way; work on the stream that uses it comes before. Nothing can be done
        // about an error here, and the next wait will report it.
        let _ = unsafe {
            match pool {
                true => (self.free_async)(address, stream),
                false => (self.free)(address),
            }
        };
    }

    /// Asks for a copy: from pinned memory, or of a few bytes, which are taken at once.
    pub(super) fn copy_in(&self, to: u64, from: *const c_void, bytes: usize, stream: Stream) -> Result<(), String> {
        self.check(unsafe { (self.copy_in)(to, from, bytes, stream) }, "copying to the GPU")
    }

    /// Asks for a copy to pinned memory.
    pub(super) fn copy_out(&self, to: Pinned, from: u64, bytes: usize, stream: Stream) -> Result<(), String> {
        self.check(unsafe { (self.copy_out)(to, from, bytes, stream) }, "copying from the GPU")
    }

    pub(super) fn alloc_pinned(&self, bytes: usize) -> Result<Pinned, String> {
        let mut address = std::ptr::null_mut();
        let status = unsafe { (self.alloc_host)(&mut address, bytes) };
        self.check(status, "allocating pinned memory")?;
        Ok(address)
    }

    pub(super) fn free_pinned(&self, address: Pinned) {
        // SAFETY: allocated before, used no more.
        let _ = unsafe { (self.free_host)(address) };
    }

    /// Waits for an event.
    pub(super) fn wait_for(&self, event: Event) -> Result<(), String> {
        self.check(unsafe { (self.event_wait)(event) }, "running kernels")
    }

    pub(super) fn zero(&self, address: u64, bytes: usize, stream: Stream) -> Result<(), String> {
        self.check(unsafe { (self.set_bytes)(address, 0, bytes, stream) }, "zeroing memory")
    }

    pub(super) fn load_module(&self, cubin: &[u8]) -> Result<Module, String> {
        let mut module = std::ptr::null_mut();
        // SAFETY: the driver reads as much as the file's own header says; the compiler made it.
        let status = unsafe { (self.module_load)(&mut module, cubin.as_ptr().cast()) };
        self.check(status, "loading kernels")?;
        Ok(module)
    }

    pub(super) fn unload_module(&self, module: Module) {
        // SAFETY: loaded before, and nothing of it runs.
        let _ = unsafe { (self.module_unload)(module) };
    }

    pub(super) fn function(&self, module: Module, name: &str) -> Result<Function, String> {
        let c_name = CString::new(name).map_err(|_| "a zero byte in a kernel's name".to_string())?;
        let mut function = std::ptr::null_mut();
        let status = unsafe { (self.module_function)(&mut function, module, c_name.as_ptr()) };
        self.check(status, &format!("looking for kernel {name}"))?;
        Ok(function)
    }

    pub(super) fn function_attribute(&self, function: Function, which: c_int) -> u32 {
        let mut value = 0;
        // SAFETY: an integer to write to; on an error it stays zero.
        let _ = unsafe { (self.function_attribute)(&mut value, which, function) };
        value.max(0) as u32
    }

    /// Asks for a launch; `values` are what the parameters' values are read from.
    pub(super) fn launch(
        &self,
        function: Function,
        name: &str,
        grid: u32,
        block: u32,
        values: &mut [u64],
        stream: Stream,
    ) -> Result<(), String> {
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|v| std::ptr::from_mut(v).cast()).collect();
        // SAFETY: one pointer per parameter, as the plan declares them; the driver copies the values before it returns.
        let status = unsafe {
            let none = std::ptr::null_mut();
            (self.launch)(function, grid, 1, 1, block, 1, 1, 0, stream, pointers.as_mut_ptr(), none)
        };
        self.check(status, &format!("launching {name} with {grid} blocks of {block} threads"))
    }

    pub(super) fn create_graph(&self) -> Result<Graph, String> {
        let mut graph = std::ptr::null_mut();
        self.check(unsafe { (self.graph_create)(&mut graph, 0) }, "making a graph")?;
        Ok(graph)
    }

    /// Adds a launch, which comes after `after`.
    pub(super) fn add_kernel(&self, graph: Graph, after: &[Node], launch: GraphLaunch<'_>) -> Result<Node, String> {
        let mut node = std::ptr::null_mut();
        let add = |params: &KernelNode| {
            // SAFETY: the nodes are of this graph; the driver copies the parameters' values before it returns.
            unsafe { (self.graph_add_kernel)(&mut node, graph, after.as_ptr(), after.len(), params) }
        };
        self.check(launch.with(add), "recording a launch")?;
        Ok(node)
    }

    /// Adds zeroing, which comes after `after`.
    pub(super) fn add_zero(
        &self,
        graph: Graph,
        after: &[Node],
        (address, bytes): (u64, u64),
        context: Context,
    ) -> Result<Node, String> {
        let (mut node, params) = (std::ptr::null_mut(), ZeroNode::new(address, bytes as usize));
        // SAFETY: as above.
        let status = unsafe { (self.graph_add_zero)(&mut node, graph, after.as_ptr(), after.len(), &params, context) };
        self.check(status, "recording a zeroing")?;
        Ok(node)
    }

    /// Makes a graph ready to be started.
    pub(super) fn instantiate(&self, graph: Graph) -> Result<Started, String> {
        let mut started = std::ptr::null_mut();
        self.check(unsafe { (self.graph_instantiate)(&mut started, graph, 0) }, "making a graph ready")?;
        Ok(started)
    }

    /// Changes a launch, for starts to come.
    pub(super) fn set_kernel(&self, of: Started, node: Node, launch: GraphLaunch<'_>) -> Result<(), String> {
        // SAFETY: a node that the graph was made with; the driver copies the values.
        let set = |params: &KernelNode| unsafe { (self.graph_set_kernel)(of, node, params) };
        self.check(launch.with(set), "changing a recorded launch")
    }

    /// Changes what is zeroed, for starts to come.
    pub(super) fn set_zero(
        &self,
        of: Started,
        node: Node,
        (address, bytes): (u64, u64),
        context: Context,
    ) -> Result<(), String> {
        let params = ZeroNode::new(address, bytes as usize);
        // SAFETY: as above.
        self.check(unsafe { (self.graph_set_zero)(of, node, &params, context) }, "changing a recorded zeroing")
    }

    pub(super) fn start_graph(&self, of: Started, stream: Stream) -> Result<(), String> {
        self.check(unsafe { (self.graph_launch)(of, stream) }, "starting a graph")
    }

    pub(super) fn destroy_graph(&self, graph: Graph, started: Option<Started>) {
        // SAFETY: made before, used no more.
        let _ = unsafe {
            if let Some(started) = started {
                (self.graph_forget)(started);
            }
            (self.graph_destroy)(graph)
        };
    }

    pub(super) fn create_event(&self) -> Result<Event, String> {
        let mut event = std::ptr::null_mut();
        self.check(unsafe { (self.event_create)(&mut event, 0) }, "making an event")?;
        Ok(event)
    }

    pub(super) fn destroy_event(&self, event: Event) {
        // SAFETY: created before, used no more.
        let _ = unsafe { (self.event_destroy)(event) };
    }

    pub(super) fn record(&self, event: Event, stream: Stream) -> Result<(), String> {
        self.check(unsafe { (self.event_record)(event, stream) }, "recording an event")
    }

    /// Waits for the second event; the milliseconds since the first.
    pub(super) fn elapsed(&self, from: Event, to: Event) -> Result<f64, String> {
        let mut milliseconds = 0.0;
        self.wait_for(to)?;
        self.check(unsafe { (self.event_elapsed)(&mut milliseconds, from, to) }, "reading a clock")?;
        Ok(f64::from(milliseconds))
    }
}
