/**
 * Python that prints the bits per second of what it receives from port 19 of a host, and of what it sends to
 * its port 9; see `SPEED`.
 */
export function measureSpeeds(host: string): string {
  return `import socket, time
N = 500_000
def speed(port, work):
    s = socket.create_connection(('${host}', port), 30)
    began = time.monotonic()
    work(s)
    print(N * 8 / (time.monotonic() - began))
    s.close()
def receive(s):
    left = N
    while left > 0: left -= len(s.recv(min(left, 65536)))
def send(s):
    s.sendall(bytes(N))
    s.shutdown(socket.SHUT_WR)
    s.recv(1)
speed(19, receive)
speed(9, send)
`;
}
