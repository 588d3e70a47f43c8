// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// System calls that fail: programs that answer for the kernel where a call asks whether it may go on.
//
// Which programs there are follows from what they look at (nothing, the path of a file, its inode) and
// from how they answer (fmod_ret, LSM of a control group, override of a function). To which function one
// is attached is told when it is loaded. Everything that a change fixes stands in `rule`, which is frozen
// before a program is loaded: the verifier sees constants and drops what they switch off.

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16, __le16;
typedef __u32 __be32, __wsum;

#include <bpf/bpf_helpers.h>

#define FIELDS __attribute__((preserve_access_index))
#define EXISTS(field) __builtin_preserve_field_info(field, 2)

// Of the kernel's structures only what is looked at; places are those of the running kernel.
struct thread_info {
	__u32 status;
} FIELDS;

struct task_struct {
	struct thread_info thread_info;
	int tgid;
	struct task_struct *real_parent;
} FIELDS;

struct pt_regs {
	unsigned long orig_ax;
} FIELDS;

struct pt_regs___arm64 {
	int syscallno;
} FIELDS;

struct super_block {
	__u32 s_dev;
} FIELDS;

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
} FIELDS;

struct path {
	void *mnt;
} FIELDS;

struct file {
	struct path f_path;
	struct inode *f_inode;
} FIELDS;

enum {
	MAP_HASH = 1,
	MAP_PERCPU_ARRAY = 6,
	MAP_CGROUP_ARRAY = 8,
	MAP_LPM_TRIE = 11,
	NO_PREALLOC = 1,
};

#define CALLS 8
#define GROUPS 64
#define GENERATIONS 16
// The most that a trie can hold.
#define PATH 252
#define COMPAT 2

// Written by the loader before the program is loaded.
struct rule {
	__u32 calls[CALLS]; // numbers of the calls that are meant; others are ~0
	__s32 error;	    // what is answered, negative
	__u32 share;	    // of 2^32; 0 for all
	__u32 pids;	    // whether processes are looked at, not control groups
	__u32 places;	    // whether paths or inodes are looked at
};

const volatile struct rule rule;

// Written by the loader while they run.
struct state {
	__u64 until; // by the clock that goes on in sleep, nanoseconds
	__u32 groups; // how many slots of control groups are taken
	__u32 unused;
};

struct state state;

struct {
	__uint(type, MAP_CGROUP_ARRAY);
	__uint(max_entries, GROUPS);
	__type(key, __u32);
	__type(value, __u32);
} groups SEC(".maps");

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u32);
} pids SEC(".maps");

struct place {
	__u32 bits;
	char path[PATH];
};

// Whole paths with the zero at their end, and beginnings without one.
struct {
	__uint(type, MAP_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, NO_PREALLOC);
	__type(key, struct place);
	__type(value, __u32);
} paths SEC(".maps");

struct {
	__uint(type, MAP_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct place);
} scratch SEC(".maps");

struct node {
	__u64 number;
	__u64 device; // as the kernel has it inside: major << 20 | minor
};

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 4096);
	__type(key, struct node);
	__type(value, __u32);
} inodes SEC(".maps");

static __always_inline __u32 number_of_call(struct task_struct *task)
{
	void *regs = (void *)bpf_task_pt_regs(task);

	if (EXISTS(((struct pt_regs___arm64 *)0)->syscallno))
		return ((struct pt_regs___arm64 *)regs)->syscallno;
	// A program of 32 bits has other numbers.
	if (task->thread_info.status & COMPAT)
		return ~0u;
	return ((struct pt_regs *)regs)->orig_ax;
}

static __always_inline int is_meant(struct task_struct *task)
{
	__u32 number = number_of_call(task);

#pragma unroll
	for (int i = 0; i < CALLS; i++)
		if (rule.calls[i] != ~0u && rule.calls[i] == number)
			return 1;
	return 0;
}

static __always_inline int is_in_groups(void)
{
	__u32 taken = *(volatile __u32 *)&state.groups;

	for (__u32 i = 0; i < GROUPS; i++) {
		if (i >= taken)
			break;
		if (bpf_current_task_under_cgroup(&groups, i) == 1)
			return 1;
	}
	return 0;
}

static __always_inline int is_in_scope(struct task_struct *task)
{
	if (!rule.pids)
		return is_in_groups();
	for (int i = 0; i < GENERATIONS; i++) {
		__u32 pid = task->tgid;

		if (bpf_map_lookup_elem(&pids, &pid))
			return 1;
		if (pid <= 1)
			break;
		task = task->real_parent;
	}
	return 0;
}

static __always_inline int is_now(void)
{
	return bpf_ktime_get_boot_ns() < *(volatile __u64 *)&state.until;
}

static __always_inline int is_hit(void)
{
	return !rule.share || bpf_get_prandom_u32() < rule.share;
}

static __always_inline int is_under(struct file *file)
{
	__u32 zero = 0;
	struct place *place;

	if (!rule.places)
		return 1;
	place = bpf_map_lookup_elem(&scratch, &zero);
	if (!place)
		return 0;
	if (bpf_d_path((void *)&file->f_path, place->path, PATH) < 0)
		return 0;
	place->bits = PATH * 8;
	return bpf_map_lookup_elem(&paths, place) != 0;
}

static __always_inline int is_one_of(struct file *file)
{
	struct node node = {};

	if (!rule.places)
		return 1;
	node.number = file->f_inode->i_ino;
	node.device = file->f_inode->i_sb->s_dev;
	return bpf_map_lookup_elem(&inodes, &node) != 0;
}

static __always_inline int fails(void)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();

	return is_meant(task) && is_in_scope(task) && is_now();
}

// The group to which such a program is attached is its scope.
static __always_inline int fails_here(void)
{
	return is_meant((void *)bpf_get_current_task_btf()) && is_now();
}

static __always_inline int refused(void)
{
	bpf_set_retval(rule.error);
	return 0;
}

SEC("modify/any")
int modify_any(__u64 *context)
{
	return fails() && is_hit() ? rule.error : 0;
}

SEC("modify/path")
int modify_path(__u64 *context)
{
	return fails() && is_under((void *)context[0]) && is_hit() ? rule.error : 0;
}

SEC("modify/inode")
int modify_inode(__u64 *context)
{
	return fails() && is_one_of((void *)context[0]) && is_hit() ? rule.error : 0;
}

SEC("group/any")
int group_any(__u64 *context)
{
	return fails_here() && is_hit() ? refused() : 1;
}

SEC("group/inode")
int group_inode(__u64 *context)
{
	return fails_here() && is_one_of((void *)context[0]) && is_hit() ? refused() : 1;
}

SEC("override/any")
int override_any(void *context)
{
	if (fails() && is_hit())
		bpf_override_return(context, (__u64)(__s64)rule.error);
	return 0;
}

// What the helpers used here demand of the object.
char terms[] SEC("license") = "Dual MIT/GPL";
