import { ServiceEvents } from '../../client/events/events.js';
import { EVENT_TYPES } from '../../contract/constants.js';
import { defineCommand, flag, list, oneOf, value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { note, print, printJsonLine } from '../output/print.js';
import { eventLine } from '../output/watch/event-line.js';
import { untilInterrupted } from '../output/watch/until-interrupted.js';
import { defaultProject } from '../targets/lookup/default-project.js';

export const command = defineCommand({
  name: 'events',
  summary: 'Show events of projects and computers, until Ctrl-C',
  details: [
    'Shows the project of -p, VC_PROJECT or the profile, else all projects. A lost connection is opened',
    'again, and continues after the last event. With --json each event is one line of JSON, whose field',
    'position is what --after takes; the first line has the type ready. The event reset says that',
    'events were lost.',
  ].join(' '),
  arguments: {},
  options: {
    all: flag('-a, --all', 'show all projects'),
    computer: value('--computer <name>', 'only computers with this name or id', nonEmpty, {
      completes: 'computer-id',
    }),
    type: list('--type <type>', 'only events of this type; repeatable', oneOf(EVENT_TYPES), {
      choices: EVENT_TYPES,
    }),
    after: value('--after <position>', 'continue after this event instead of now', nonEmpty),
  },
  examples: [
    { does: 'Show what happens to all computers', command: 'vc events --all' },
    {
      does: 'Print each change of a status as JSON',
      command: 'vc events -p demo --type computer.status --json',
    },
  ],
  async run(context, _, { all, computer, type, after }) {
    const client = await context.client();
    await untilInterrupted(context, async (inner) => {
      const events = new ServiceEvents(client, {
        project: all ? undefined : await defaultProject(inner),
        computer,
        lastEventId: after,
        signal: inner.interrupts.signal,
        types: type.length === 0 ? undefined : type,
      });
      await events.open();
      if (context.globals.json)
        await printJsonLine(inner, { position: after ?? null, type: 'ready' });
      else await note(inner, 'watching; end with Ctrl-C');
      for await (const event of events) {
        if (context.globals.json) {
          await printJsonLine(inner, { position: events.lastEventId, ...event });
        } else if (event.type === 'reset') await note(inner, event.reason);
        else await print(inner, eventLine(event, context.io.stdout.isTTY === true));
      }
    });
  },
});
