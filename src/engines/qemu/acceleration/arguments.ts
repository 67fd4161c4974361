/**
 * QEMU's accelerator and CPU arguments. TCG emulates the CPU with the most features, without SMAP:
 * before version 9.1 QEMU takes the IRET by which Wine and .NET resume a thread for a supervisor
 * access, and with SMAP the guest's kernel kills the program for it.
 */
export function accelerationArguments({ usable }: { readonly usable: boolean }): string[] {
  return usable
    ? ['-accel', 'kvm', '-cpu', 'host']
    : ['-accel', 'tcg,thread=multi', '-cpu', 'max,-smap'];
}
