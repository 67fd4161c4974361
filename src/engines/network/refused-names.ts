import type { RefusedName } from '../../contract/resources/network.js';

/** Names of a machine that are kept: those that were asked for last. */
const MOST = 50;
/** Bytes of a file with that many of the longest names. */
export const MOST_BYTES = 16 * 1024;

/**
 * Perl without single quotes, which reads what dnsmasq logs (`log-queries`) from its input and keeps the
 * names that were refused in the file of its argument: `NAME COUNT SECONDS`, a line each. It writes at most
 * once a second, however many a machine asks for. perl-base is in every Debian.
 */
export const COLLECT_REFUSED = `
my ($file) = @ARGV;
my (%seen, $name, $n, $due, $paused);
sub save {
  $paused = 1;
  alarm 1;
  open(my $new, ">", "$file.new") or return;
  print $new "$_ $seen{$_}[0] $seen{$_}[1]\\n" for keys %seen;
  close($new) and rename("$file.new", $file) and $due = 0;
}
$SIG{ALRM} = sub { $paused = 0; save() if $due };
while (<STDIN>) {
  if (/ query\\[[^\\]]+\\] ([\\w.-]{1,253}) from /a) { $name = lc $1 }
  elsif (/ query\\[/) { undef $name }
  # The other error of that name: no name server can be reached.
  elsif (/ config error is REFUSED(?! \\(EDE: network error)/ and defined $name) {
    $seen{$name}[0]++;
    @{$seen{$name}}[1, 2] = (time, ++$n);
    undef $name;
    if (keys %seen > ${MOST}) { delete $seen{(sort { $seen{$a}[2] <=> $seen{$b}[2] } keys %seen)[0]} }
    $due = 1;
    save() unless $paused;
  }
}
save() if $due;
`;

/** What {@link COLLECT_REFUSED} has written, the last name first. */
export function parseRefusedNames(text: string): RefusedName[] {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, name, count, seconds] = /^([\w.-]{1,253}) (\d{1,15}) (\d{1,11})$/.exec(line) ?? [];
      if (name === undefined) return [];
      return [{ name, at: new Date(Number(seconds) * 1000).toISOString(), count: Number(count) }];
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}
