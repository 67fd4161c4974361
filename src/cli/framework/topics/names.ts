/** Topics of `vc help`. Apart from their texts, which take every command long to load. */
export const topicNames = [
  'options',
  'environment',
  'exit-codes',
  'naming',
  'durations',
  'formatting',
  'jq',
] as const;

export type TopicName = (typeof topicNames)[number];
