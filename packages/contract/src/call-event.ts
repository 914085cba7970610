import { z } from 'zod'
import { DateTime } from './fields.ts'
import { defineDescribedObject } from './named-object.ts'

/** Events of a call in order. The transcript, metrics and costs derive from them. `atMs` counts from the start of the call. */

const AtMs = z.int().min(0).describe('Milliseconds since the start of the call.')
const Word = defineDescribedObject(
  'CallWord',
  'A spoken word, with times in milliseconds since the start of the call.',
  {
    word: z.string(),
    startMs: z.int(),
    endMs: z.int(),
  },
)

const base = {
  position: z.int().min(0).describe('Position of the event, starting at 0.'),
  atMs: AtMs,
  at: DateTime,
}

const componentPath = z
  .array(z.string())
  .optional()
  .describe('IDs of the enclosing component nodes, outermost first. Absent in older events.')

const LatencyPart = z.number().nullable()
export const CallTurnLatency = defineDescribedObject(
  'CallTurnLatency',
  'Latency in milliseconds, or null for parts that were not required.',
  {
    totalMs: z.number().describe('Time from the caller’s last voiced sample to the first audio of the answer.'),
    endOfTurnMs: z.number().describe('Silence until the turn ended.'),
    recogniserMs: LatencyPart.describe('Time until the final transcript.'),
    retrievalMs: LatencyPart.describe('Time to search knowledge bases.'),
    modelFirstTokenMs: LatencyPart.describe('Time to the first token of the model.'),
    firstClauseMs: LatencyPart.describe('Time from the first token to the first complete clause.'),
    synthesisFirstAudioMs: LatencyPart.describe('Time to the first audio of the voice.'),
    playoutMs: LatencyPart.describe('Time from the first audio to its playback.'),
  },
)
export type CallTurnLatency = z.infer<typeof CallTurnLatency>

export const CallEvent = z
  .discriminatedUnion('type', [
    z.object({ ...base, type: z.literal('call-started') }),
    z.object({
      ...base,
      type: z.literal('user-message'),
      turnId: z.string(),
      content: z.string().describe('What the caller said or entered.'),
      source: z.enum(['speech', 'typed', 'dtmf']),
      startMs: AtMs,
      endMs: AtMs,
      words: z.array(Word),
    }),
    z.object({
      ...base,
      type: z.literal('agent-message'),
      turnId: z.string().nullable().describe('ID of the turn that the message answers, or null for other messages.'),
      content: z.string().describe('What the caller heard.'),
      generatedContent: z.string().describe('Text that the agent intended to say.'),
      interrupted: z.boolean().describe('Whether the caller interrupted the message.'),
      kind: z
        .enum(['reply', 'opening', 'filler', 'tool-line', 'fallback', 'say', 'backchannel'])
        .describe('Type of message. `tool-line` is spoken before a tool runs; `say` is requested through the API.'),
      startMs: AtMs,
      endMs: AtMs,
      words: z.array(Word),
    }),
    z.object({
      ...base,
      type: z.literal('tool-call'),
      turnId: z.string().nullable(),
      toolCallId: z.string(),
      name: z.string(),
      arguments: z.string().describe('Arguments as JSON.'),
    }),
    z.object({
      ...base,
      type: z.literal('tool-result'),
      turnId: z.string().nullable(),
      toolCallId: z.string(),
      name: z.string(),
      content: z.string().describe('Result that the model receives.'),
      successful: z.boolean(),
      durationMs: z.number(),
    }),
    z.object({
      ...base,
      type: z.literal('node-transition'),
      turnId: z.string().nullable(),
      fromNodeId: z.string().nullable(),
      fromNodeName: z.string(),
      fromPath: componentPath,
      toNodeId: z.string(),
      toNodeName: z.string(),
      toPath: componentPath,
      transitionType: z.string().describe('`normal`, `global` or `global_go_back`.'),
    }),
    z.object({
      ...base,
      type: z.literal('state-transition'),
      turnId: z.string().nullable(),
      from: z.string().describe('Name of the previous state.'),
      to: z.string().describe('Name of the new state.'),
    }),
    z.object({
      ...base,
      type: z.literal('agent-swap'),
      agentId: z.string(),
      agentVersion: z.int(),
      agentName: z.string(),
      analysis: z
        .enum(['both_agents', 'only_destination_agent'])
        .describe('Agents whose analysis runs after the conversation.'),
      webhooks: z
        .enum(['both_agents', 'only_destination_agent', 'only_source_agent'])
        .describe('Agents whose webhooks receive the events.'),
    }),
    z.object({
      ...base,
      type: z.literal('sms'),
      content: z.string(),
      status: z.enum(['sent', 'unsent']),
      reason: z.string().nullable().describe('Why the message was not sent, or null if it was sent.'),
    }),
    z.object({ ...base, type: z.literal('dtmf'), digit: z.string().describe('Pressed key: `0` to `9`, `*` or `#`.') }),
    z.object({ ...base, type: z.literal('injected'), content: z.string().describe('Message to the agent.') }),
    z.object({
      ...base,
      type: z.literal('variables'),
      variables: z.record(z.string(), z.string().nullable()).describe('Changed variables, or null for removed ones.'),
    }),
    z.object({
      ...base,
      type: z.literal('turn'),
      turnId: z.string(),
      latency: CallTurnLatency.nullable().describe('Latency of the answer, or null if there is no audio.'),
      decisions: z.array(z.record(z.string(), z.unknown())).describe('Decisions of the turn with their reasons.'),
    }),
    z.object({
      ...base,
      type: z.literal('usage'),
      product: z.enum(['llm', 'transcription', 'synthesis']),
      model: z.string(),
      quantity: z.number().describe('Amount in `unit`.'),
      unit: z.enum(['input-token', 'cached-input-token', 'output-token', 'second', 'character']),
    }),
    z.object({
      ...base,
      type: z.literal('warning'),
      code: z.string(),
      message: z.string().describe('Description of the problem or decision, for the developer of the agent.'),
    }),
    z.object({
      ...base,
      type: z.literal('call-ended'),
      reason: z.string().describe('Same as `disconnectionReason` of the call.'),
    }),
  ])
  .meta({ id: 'CallEvent' })
export type CallEvent = z.infer<typeof CallEvent>

type WithoutPosition<Event> = Event extends unknown ? Omit<Event, 'position' | 'atMs' | 'at'> : never
/** A call event before the server records it and assigns its position and time. */
export type CallEventEntry = WithoutPosition<CallEvent>
