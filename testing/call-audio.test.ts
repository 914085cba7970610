import { expect, test } from 'vitest'
import { decodeAudioMessage, encodeAudioMessage, Loudspeaker, Microphone } from './call-audio.ts'

test('audio survives encoding and decoding', () => {
  const samples = Int16Array.of(-32_768, -1, 0, 1, 32_767)
  const message = encodeAudioMessage(2 ** 32 + 320, samples)
  expect(message).toHaveLength(14)
  expect(decodeAudioMessage(message)).toEqual({ startSample: 320, samples })
})

test('a microphone receives scheduled speech in order, with background audio in between', async () => {
  const microphone = new Microphone()
  microphone.setBackgroundTone(Int16Array.of(8, 9))
  const completed: string[] = []
  const first = microphone.speak(Int16Array.of(1, 2, 3)).then(() => completed.push('first'))
  const second = microphone.speak(Int16Array.of(4)).then(() => completed.push('second'))
  expect([...microphone.take(2)]).toEqual([1, 2])
  await Promise.resolve()
  expect(completed).toEqual([])
  expect([...microphone.take(5)]).toEqual([3, 4, 8, 9, 8])
  await Promise.all([first, second])
  expect(completed).toEqual(['first', 'second'])
  microphone.setBackgroundTone(null)
  expect([...microphone.take(2)]).toEqual([0, 0])
})

test('a loudspeaker plays in real time, skips gaps, and drops cleared audio', () => {
  const loudspeaker = new Loudspeaker()
  loudspeaker.push(0, 160)
  loudspeaker.push(160, 160)
  loudspeaker.advance(200)
  expect([loudspeaker.played, loudspeaker.isPlaying]).toEqual([200, true])
  loudspeaker.clear()
  loudspeaker.advance(500)
  expect([loudspeaker.played, loudspeaker.isPlaying]).toEqual([200, false])
  loudspeaker.push(480, 160)
  loudspeaker.advance(1_000)
  expect([loudspeaker.played, loudspeaker.isPlaying]).toEqual([640, false])
})
