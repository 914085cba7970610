import { Page } from '../../components/page.tsx'

export function DeliveriesScreen() {
  return <Page title="DeliveriesScreen">…</Page>
}
