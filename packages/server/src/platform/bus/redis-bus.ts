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
const RESUBSCRIBE_DELAY_MS = 2_000

/**
 * A bus over the channels of Redis. All topics share one channel: a subscription holds from the moment it is made, without a
 * round trip, and one publisher's messages keep their order over all topics.
 */
export function createRedisBus({ installationId, ...options }: RedisBusOptions): NodeBus {
  const channel = `parley:${installationId}:bus`
  return createLinkedBus({ ...options, openLink: (events) => openRedisLink(channel, options, events) })
}

function openRedisLink(channel: string, options: Omit<RedisBusOptions, 'installationId'>, events: LinkEvents): Link {
  let isSubscribed = false
  let isConnected = false
  let cancelListen = (): void => {}

  function reportStatus(): void {
    const isReady = isSubscribed && publisher.status() === null
    if (isReady === isConnected) return
    isConnected = isReady
    if (isReady) events.up()
    else events.down()
  }

  function listen(): void {
    subscriber.client.subscribe(channel).then(
      () => {
        isSubscribed = subscriber.status() === null
        reportStatus()
      },
      (error) => {
        if (subscriber.status() !== null) return
        options.logError('redis bus-subscriber', asRedisError(error))
        cancelListen = options.clock.after(RESUBSCRIBE_DELAY_MS, listen)
      },
    )
  }

  const publisher = openRedis({ ...options, name: 'bus-publisher', onReady: reportStatus, onLost: reportStatus })
  const subscriber = openRedis({
    ...options,
    name: 'bus-subscriber',
    onReady: () => listen(),
    onLost() {
      cancelListen()
      isSubscribed = false
      reportStatus()
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
    status: () =>
      subscriber.status() ?? publisher.status() ?? (isSubscribed ? null : 'Redis does not let Parley listen.'),
    async close() {
      cancelListen()
      publisher.close()
      subscriber.close()
    },
  }
}
