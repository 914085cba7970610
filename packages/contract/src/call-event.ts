import { z } from 'zod'
import { DateTime } from './fields.ts'

/**
 * What happened in a call, in order: the one record from which transcript, figures and costs are derived. `atMs` counts from
 * the beginning of the call.
 */

const AtMs = z.int().min(0).meta({ description: 'Milliseconds since the beginning of the call.' })
const Word = z.object({ word: z.string(), startMs: z.int(), endMs: z.int() }).meta({
  id: 'CallWord',
  description: 'A word and when it was spoken, in milliseconds since the beginning of the call.',
})

const base = { position: z.int().min(0).meta({ description: 'Counts from 0.' }), atMs: AtMs, at: DateTime }

const componentPath = z.array(z.string()).optional().meta({
  description: 'Nodes of type `component` around the node, outermost first; absent in older events.',
})

const LatencyPart = z.number().nullable()
export const CallTurnLatency = z
  .object({
    totalMs: z
      .number()
      .meta({ description: 'From the last voiced sample of the caller to the first sound of the answer.' }),
    endOfTurnMs: z.number().meta({ description: 'Silence that was waited for until the turn counted as over.' }),
    recogniserMs: LatencyPart,
    retrievalMs: LatencyPart,
    modelFirstTokenMs: LatencyPart,
    firstClauseMs: LatencyPart,
    synthesisFirstAudioMs: LatencyPart,
    playoutMs: LatencyPart,
  })
  .meta({ id: 'CallTurnLatency', description: 'Milliseconds; null where a part was not needed.' })
export type CallTurnLatency = z.infer<typeof CallTurnLatency>

export const CallEvent = z
  .discriminatedUnion('type', [
    z.object({ ...base, type: z.literal('call-started') }),
    z.object({
      ...base,
      type: z.literal('user-message'),
      turnId: z.string(),
      content: z.string(),
      source: z.enum(['speech', 'typed', 'dtmf']),
      startMs: AtMs,
      endMs: AtMs,
      words: z.array(Word),
    }),
    z.object({
      ...base,
      type: z.literal('agent-message'),
      turnId: z.string().nullable().meta({ description: 'The turn that it answers; null for what was said unasked.' }),
      content: z.string().meta({ description: 'What the caller heard.' }),
      generatedContent: z.string().meta({ description: 'What the agent meant to say.' }),
      interrupted: z.boolean(),
      kind: z.enum(['reply', 'opening', 'filler', 'tool-line', 'fallback', 'say', 'backchannel']),
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
      arguments: z.string(),
    }),
    z.object({
      ...base,
      type: z.literal('tool-result'),
      turnId: z.string().nullable(),
      toolCallId: z.string(),
      name: z.string(),
      content: z.string(),
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
      transitionType: z.string(),
    }),
    z.object({
      ...base,
      type: z.literal('state-transition'),
      turnId: z.string().nullable(),
      from: z.string(),
      to: z.string(),
    }),
    z.object({
      ...base,
      type: z.literal('agent-swap'),
      agentId: z.string(),
      agentVersion: z.int(),
      agentName: z.string(),
      analysis: z
        .enum(['both_agents', 'only_destination_agent'])
        .meta({ description: 'Whose analysis is made afterwards, by this hand-over.' }),
      webhooks: z
        .enum(['both_agents', 'only_destination_agent', 'only_source_agent'])
        .meta({ description: 'Whose webhooks are told, by this hand-over.' }),
    }),
    z.object({
      ...base,
      type: z.literal('sms'),
      content: z.string(),
      status: z.enum(['sent', 'unsent']),
      reason: z.string().nullable(),
    }),
    z.object({ ...base, type: z.literal('dtmf'), digit: z.string() }),
    z.object({ ...base, type: z.literal('injected'), content: z.string() }),
    z.object({ ...base, type: z.literal('variables'), variables: z.record(z.string(), z.string().nullable()) }),
    z.object({
      ...base,
      type: z.literal('turn'),
      turnId: z.string(),
      latency: CallTurnLatency.nullable().meta({ description: 'Null for a turn that was not answered in sound.' }),
      decisions: z.array(z.record(z.string(), z.unknown())).meta({ description: 'What was decided in it and why.' }),
    }),
    z.object({
      ...base,
      type: z.literal('usage'),
      product: z.enum(['llm', 'transcription', 'synthesis']),
      model: z.string(),
      quantity: z.number(),
      unit: z.enum(['input-token', 'cached-input-token', 'output-token', 'second', 'character']),
    }),
    z.object({
      ...base,
      type: z.literal('warning'),
      code: z.string(),
      message: z
        .string()
        .meta({ description: 'What went wrong or was decided, a sentence for the builder of the agent.' }),
    }),
    z.object({ ...base, type: z.literal('call-ended'), reason: z.string() }),
  ])
  .meta({ id: 'CallEvent' })
export type CallEvent = z.infer<typeof CallEvent>

type WithoutPosition<Event> = Event extends unknown ? Omit<Event, 'position' | 'atMs' | 'at'> : never
/** An event as it is told: its place and time are given when it is written down. */
export type CallEventEntry = WithoutPosition<CallEvent>
