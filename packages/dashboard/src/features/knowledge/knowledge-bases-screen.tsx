import { Page } from '../../components/page.tsx'

export function KnowledgeBasesScreen() {
  return <Page title="KnowledgeBasesScreen">…</Page>
}
