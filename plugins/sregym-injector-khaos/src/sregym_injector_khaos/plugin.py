"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

# The names of `faults.yaml`; a test compares them.
NAMES = (
    *("read_error", "pread_error", "write_error", "pwrite_error"),
    *("fsync_error", "open_error", "latent_sector_error", "close_fail"),
    *("dup_fail", "getrandom_fail", "gettimeofday_fail", "ioctl_fail"),
    *("cuda_malloc_fail", "getaddrinfo_fail", "nanosleep_throttle", "nanosleep_interrupt"),
    *("fork_fail", "clock_drift", "setns_fail", "prlimit_fail"),
    *("socket_block", "mmap_fail", "mmap_oom", "brk_fail"),
    *("mlock_fail", "bind_enetdown", "mount_io_error", "force_close_ret_err"),
    *("force_read_ret_ok", "force_open_ret_eperm", "force_mmap_eagain", "force_brk_eagain"),
    *("force_mlock_eperm", "force_mprotect_eacces", "force_swapon_einval", "oom_memchunk"),
    *("oom_heapspace", "oom_nonswap", "hfrag_memchunk", "hfrag_heapspace"),
    *("ptable_permit", "stack_rndsegfault", "thrash_swapon", "thrash_swapoff"),
    *("memleak_munmap", "packet_loss_sendto", "packet_loss_recvfrom"),
)
# Parts of a machine that fail, of the same file.
PARTS = (
    *("storage_controller_read_failure", "storage_write_failure", "nic_packet_corruption"),
    *("network_interface_link_down", "dram_module_failure", "cpu_clocksource_failure"),
    "mmu_page_protection_failure",
)


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of khaos, `khaos-` before their names."""
    names = [f"khaos-{name.replace('_', '-')}" for name in (*NAMES, *PARTS)]
    return [Registration(name, f"sregym_injector_khaos.faults:{name}") for name in names]
