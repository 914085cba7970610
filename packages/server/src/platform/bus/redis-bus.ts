import { asRedisError, openRedis, type RedisOptions } from '../redis/redis-client.ts'
import { createLinkedBus, type Link, type LinkEvents } from './linked-bus.ts'
import type { NodeBus } from './node-bus.ts'

export interface RedisBusOptions extends Pick<RedisOptions, 'url' | 'clock' | 'logError'> {
  /** The same on all nodes of an installation, another one for each installation on the same Redis. */
  readonly installationId: string
  /** Of this process alone. */
  readonly nodeId: string
}

/** Between two attempts to listen on a connection that is well. */
const LISTEN_AGAIN_MS = 2_000

/**
 * A bus over the channels of Redis. All topics share one channel: a subscription holds from the moment it is made, without a
 * round trip, and one publisher's messages keep their order over all topics.
 */
export function createRedisBus({ installationId, ...options }: RedisBusOptions): NodeBus {
  const channel = `parley:${installationId}:bus`
  return createLinkedBus({ ...options, openLink: (events) => openRedisLink(channel, options, events) })
}

function openRedisLink(channel: string, options: Omit<RedisBusOptions, 'installationId'>, events: LinkEvents): Link {
  let isHearing = false
  let isUp = false
  let cancelListen = (): void => {}

  function tell(): void {
    const is = isHearing && publisher.status() === null
    if (is === isUp) return
    isUp = is
    if (is) events.up()
    else events.down()
  }

  function listen(): void {
    subscriber.client.subscribe(channel).then(
      () => {
        isHearing = subscriber.status() === null
        tell()
      },
      (error) => {
        if (subscriber.status() !== null) return
        options.logError('redis bus-subscriber', asRedisError(error))
        cancelListen = options.clock.after(LISTEN_AGAIN_MS, listen)
      },
    )
  }

  const publisher = openRedis({ ...options, name: 'bus-publisher', onReady: tell, onLost: tell })
  const subscriber = openRedis({
    ...options,
    name: 'bus-subscriber',
    onReady: () => listen(),
    onLost() {
      cancelListen()
      isHearing = false
      tell()
    },
  })
  subscriber.client.on('message', (_channel: string, text: string) => events.received(text))

  return {
    async send(texts) {
      const pipeline = publisher.client.pipeline()
      for (const text of texts) pipeline.publish(channel, text)
      const results = (await pipeline.exec()) ?? []
      for (const [error] of results) if (error !== null) throw asRedisError(error)
    },
    status: () => subscriber.status() ?? publisher.status() ?? (isHearing ? null : 'Redis does not let Parley listen.'),
    async close() {
      cancelListen()
      publisher.close()
      subscriber.close()
    },
  }
}
