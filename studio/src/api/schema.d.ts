// Made of docs/openapi.json by types.mjs: `npm run types`.

export interface paths {
    "/api/health": {
        get: operations["health"];
    };
    "/api/health/ready": {
        get: operations["ready"];
    };
    "/api/me": {
        get: operations["whoAsks"];
    };
    "/api/openapi.json": {
        get: operations["contract"];
    };
    "/api/session": {
        post: operations["beginSession"];
    };
    "/api/team": {
        get: operations["getServedTeam"];
    };
    "/api/tickets": {
        post: operations["issueTicket"];
    };
    "/api/tokens": {
        get: operations["listTokens"];
    };
    "/api/workspace/{wid}/activity": {
        get: operations["listActivity"];
    };
    "/api/workspace/{wid}/briefing": {
        get: operations["getBriefing"];
    };
    "/api/workspace/{wid}/buffer": {
        get: operations["listNotes"];
    };
    "/api/workspace/{wid}/candidates": {
        get: operations["listCandidates"];
        post: operations["reviewMany"];
    };
    "/api/workspace/{wid}/candidates/{cid}": {
        get: operations["getCandidate"];
    };
    "/api/workspace/{wid}/candidates/{cid}/accept": {
        post: operations["acceptCandidate"];
    };
    "/api/workspace/{wid}/candidates/{cid}/edit": {
        post: operations["editCandidate"];
    };
    "/api/workspace/{wid}/candidates/{cid}/merge": {
        post: operations["mergeCandidate"];
    };
    "/api/workspace/{wid}/candidates/{cid}/reject": {
        post: operations["rejectCandidate"];
    };
    "/api/workspace/{wid}/candidates/{cid}/resolve": {
        post: operations["resolveConflict"];
    };
    "/api/workspace/{wid}/changes": {
        get: operations["listChanges"];
    };
    "/api/workspace/{wid}/clients": {
        get: operations["listClients"];
    };
    "/api/workspace/{wid}/conflicts": {
        get: operations["listConflicts"];
    };
    "/api/workspace/{wid}/context": {
        get: operations["getContext"];
    };
    "/api/workspace/{wid}/cost": {
        get: operations["getCost"];
    };
    "/api/workspace/{wid}/curate": {
        get: operations["lookAtMemory"];
    };
    "/api/workspace/{wid}/curate/apply": {
        post: operations["applyFindings"];
    };
    "/api/workspace/{wid}/curate/dismiss": {
        post: operations["dismissFindings"];
    };
    "/api/workspace/{wid}/failures-log": {
        get: operations["listFailureRecords"];
    };
    "/api/workspace/{wid}/forget": {
        post: operations["purge"];
    };
    "/api/workspace/{wid}/graph": {
        get: operations["getGraph"];
    };
    "/api/workspace/{wid}/graph/{node}": {
        get: operations["getGraphAround"];
    };
    "/api/workspace/{wid}/health": {
        get: operations["getWorkspaceHealth"];
    };
    "/api/workspace/{wid}/health/verify": {
        post: operations["verifyWorkspace"];
    };
    "/api/workspace/{wid}/injections/{sid}": {
        get: operations["getInjections"];
    };
    "/api/workspace/{wid}/lineage": {
        get: operations["listArtifacts"];
    };
    "/api/workspace/{wid}/lineage/{path}": {
        get: operations["getArtifact"];
    };
    "/api/workspace/{wid}/log": {
        get: operations["getLog"];
    };
    "/api/workspace/{wid}/memory": {
        get: operations["getCounts"];
        post: operations["remember"];
    };
    "/api/workspace/{wid}/memory/{mid}": {
        get: operations["getMemory"];
        put: operations["editMemory"];
        delete: operations["forgetMemory"];
    };
    "/api/workspace/{wid}/memory/{mid}/injection-marks": {
        post: operations["markInjection"];
    };
    "/api/workspace/{wid}/memory/{mid}/injection-marks/{mark}": {
        delete: operations["undoInjectionMark"];
    };
    "/api/workspace/{wid}/memory/assumptions": {
        get: operations["listAssumptions"];
    };
    "/api/workspace/{wid}/memory/assumptions/{mid}": {
        get: operations["getAssumption"];
    };
    "/api/workspace/{wid}/memory/decisions": {
        get: operations["listDecisions"];
    };
    "/api/workspace/{wid}/memory/decisions/{mid}": {
        get: operations["getDecision"];
    };
    "/api/workspace/{wid}/memory/entries": {
        get: operations["listMemory"];
    };
    "/api/workspace/{wid}/memory/failures": {
        get: operations["listFailures"];
    };
    "/api/workspace/{wid}/memory/failures/{mid}": {
        get: operations["getFailure"];
    };
    "/api/workspace/{wid}/memory/invariants": {
        get: operations["listInvariants"];
    };
    "/api/workspace/{wid}/memory/invariants/{mid}": {
        get: operations["getInvariant"];
    };
    "/api/workspace/{wid}/memory/learnings": {
        get: operations["listLearnings"];
    };
    "/api/workspace/{wid}/memory/learnings/{mid}": {
        get: operations["getLearning"];
    };
    "/api/workspace/{wid}/memory/patterns": {
        get: operations["listPatterns"];
    };
    "/api/workspace/{wid}/memory/patterns/{mid}": {
        get: operations["getPattern"];
    };
    "/api/workspace/{wid}/memory/team": {
        get: operations["getTeam"];
    };
    "/api/workspace/{wid}/pack": {
        post: operations["pack"];
    };
    "/api/workspace/{wid}/ratings": {
        get: operations["listRatings"];
        post: operations["addRating"];
    };
    "/api/workspace/{wid}/research": {
        get: operations["listResearch"];
    };
    "/api/workspace/{wid}/run": {
        post: operations["startRun"];
    };
    "/api/workspace/{wid}/run/{rid}": {
        delete: operations["cancelRun"];
    };
    "/api/workspace/{wid}/run/{rid}/approvals/{aid}": {
        post: operations["answerApproval"];
    };
    "/api/workspace/{wid}/runs": {
        get: operations["listRuns"];
    };
    "/api/workspace/{wid}/runs/{rid}": {
        get: operations["getRun"];
    };
    "/api/workspace/{wid}/runs/{rid}/diff": {
        get: operations["getRunDiff"];
    };
    "/api/workspace/{wid}/runs/{rid}/events": {
        get: operations["listRunEvents"];
    };
    "/api/workspace/{wid}/runs/{rid}/undo": {
        post: operations["undoRun"];
    };
    "/api/workspace/{wid}/runs/active": {
        get: operations["listActiveRuns"];
    };
    "/api/workspace/{wid}/search": {
        post: operations["search"];
    };
    "/api/workspace/{wid}/security": {
        get: operations["listVerdicts"];
    };
    "/api/workspace/{wid}/sessions": {
        get: operations["listSessions"];
    };
    "/api/workspace/{wid}/sessions/{sid}": {
        get: operations["getSession"];
    };
    "/api/workspace/{wid}/settings": {
        get: operations["listSettings"];
    };
    "/api/workspace/{wid}/settings/{key}": {
        put: operations["changeSetting"];
    };
    "/api/workspace/{wid}/stats": {
        get: operations["getStats"];
    };
    "/api/workspace/{wid}/sync": {
        get: operations["getShared"];
    };
    "/api/workspace/{wid}/sync/events": {
        post: operations["sendEvents"];
    };
    "/api/workspace/{wid}/sync/fetch": {
        post: operations["fetchShared"];
    };
    "/api/workspace/{wid}/sync/file": {
        get: operations["getSharedFile"];
    };
    "/api/workspace/{wid}/sync/gone": {
        get: operations["getPurged"];
        post: operations["sendPurged"];
    };
    "/api/workspace/{wid}/sync/swap": {
        post: operations["swapShared"];
    };
    "/api/workspace/{wid}/sync/swaps": {
        post: operations["swapAllShared"];
    };
    "/api/workspace/{wid}/synthesis": {
        get: operations["getSynthesis"];
    };
    "/api/workspace/{wid}/timeline": {
        get: operations["getTimeline"];
    };
    "/api/workspace/{wid}/todo": {
        get: operations["listTodos"];
        post: operations["addTodo"];
    };
    "/api/workspace/{wid}/todo/{tid}": {
        post: operations["changeTodo"];
    };
    "/api/workspace/{wid}/undo": {
        get: operations["getLastBatch"];
        post: operations["undo"];
    };
    "/api/workspace/{wid}/work": {
        get: operations["listWork"];
    };
    "/api/workspaces": {
        get: operations["listWorkspaces"];
        post: operations["addWorkspace"];
    };
    "/metrics": {
        get: operations["figures"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptBody: {
            again?: boolean;
            against?: string;
            answer?: components["schemas"]["ConflictAnswerBody"] | null;
            scope?: "" | "workspace" | "user";
        };
        AcceptedRow: {
            candidate: string;
            memory: components["schemas"]["MemoryView"];
        };
        AllSwappedView: {
            now: string[];
        };
        AppliedFindingsView: {
            done: string[];
            ids: string[];
            left: unknown[];
        };
        ApplyFindingsBody: {
            findings: string[];
        };
        ApprovalBody: {
            answer: "yes" | "no" | "always";
            reason?: string;
        };
        ApprovalRow: {
            approvalId: string;
            command: string;
            diff: string;
            what: string;
            why: string;
        };
        ArtifactRow: {
            artifactId: string;
            createdBy: string;
            editCount: number;
            edits: components["schemas"]["EditRow"][];
            goalId: string;
            last: string;
            model: string;
            path: string;
        };
        ArtifactView: {
            artifactId: string;
            createdBy: string;
            edits: components["schemas"]["EditRow"][];
            goalId: string;
            model: string;
            path: string;
        };
        AsOfView: {
            held: boolean;
            note: string;
            when: string;
            why: string;
        };
        BlockedRow: {
            conflicts: components["schemas"]["RelationView"][];
            id: string;
        };
        BriefingView: {
            at: string;
            fresh: boolean;
            hazards: string[];
            hotFiles: string[];
            mission: string;
            nextAction: string;
            predictedSkills: string[];
            progress: string;
            session: string;
            status: string;
        };
        BufferNoteView: {
            client: string;
            id: string;
            kind: string;
            session: string;
            text: string;
            ts: string;
        };
        BulkReviewBody: {
            all?: boolean;
            because?: string;
            ids?: string[];
            minConfidence?: number;
            saidBy?: ("user" | "agent" | "tool")[];
            scope?: "" | "workspace" | "user";
            session?: string;
            types?: ("decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern")[];
            verb: "accept" | "reject";
            words?: string;
        };
        CallerView: {
            name: string;
            rights: string[];
        };
        CandidateDetail: {
            candidate: components["schemas"]["CandidateView"];
            evidence: components["schemas"]["QuotedEvidenceView"][];
            markdown: string;
            others: components["schemas"]["MemoryView"][];
        };
        CandidateView: {
            attempts: number | null;
            because: string;
            blocked: boolean;
            body: string;
            category: string;
            choice: string;
            cites: components["schemas"]["CiteRow"][];
            client: string;
            confidence: number | null;
            conflicts: components["schemas"]["RelationView"][];
            context: string;
            description: string;
            enforce: {
                [key: string]: unknown;
            };
            errorMessage: string;
            errorType: string;
            evidence: components["schemas"]["EvidenceRow"][];
            expires: string | null;
            extra: {
                [key: string]: unknown;
            };
            fact: string;
            group: string;
            id: string;
            line: number;
            looked: boolean;
            notices: string[];
            path: string;
            paths: string[];
            question: string;
            rationale: string;
            rejected: components["schemas"]["RejectedOptionView-Output"][];
            rootCause: string;
            saidBy: "user" | "agent" | "tool";
            scope: "workspace" | "user" | "team";
            session: string;
            settled: ("repeats" | "taken back") | null;
            settles: components["schemas"]["SettledView"][];
            sha256: string;
            source: string;
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            subject: string;
            supersededBy: string | null;
            supersedes: string[];
            tags: string[];
            timestamp: string;
            title: string;
            topic: string;
            turnedDownBefore: string | null;
            type: "decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern";
            updated: string;
            validFrom: string;
            validUntil: string;
        };
        ChangeRow: {
            at: string;
            author: string;
            commit: string;
            id: string;
            title: string;
            type: string;
            what: string;
        };
        CiteRow: {
            lines: string;
            nowLines: string;
            nowPath: string;
            path: string;
            sha256: string;
            state: string;
            words: string;
        };
        ClientRow: {
            complete: boolean;
            eventsToday: number;
            failuresToday: number;
            found: boolean;
            hooks: boolean;
            id: string;
            installed: boolean;
            lastEvent: string;
            silent: boolean;
            title: string;
            trusted: boolean | null;
            used: string;
        };
        ConflictAnswerBody: {
            because?: string;
            choice: "keep-old" | "supersede" | "narrow" | "keep-both";
            paths?: string[];
        };
        ConflictRow: {
            new: string;
            newTitle: string;
            old: string;
            oldTitle: string;
            reason: string;
        };
        CostTotal: {
            cached: number;
            cost: number;
            failed: number;
            input: number;
            output: number;
            remembered: number;
            requests: number;
            unpriced: number;
        };
        CostView: {
            budget: {
                [key: string]: unknown;
            };
            days: {
                [key: string]: components["schemas"]["CostTotal"];
            };
            models: {
                [key: string]: components["schemas"]["CostTotal"];
            };
            total: components["schemas"]["CostTotal"];
        };
        CurationView: {
            counts: {
                [key: string]: number;
            };
            dismissed: number;
            findings: components["schemas"]["CuratorFinding"][];
            health: {
                [key: string]: unknown;
            } | null;
            memories: number;
            total: number;
        };
        CuratorFinding: {
            default: string | null;
            hints: string[];
            id: string;
            ids: string[];
            kind: string;
            reason: string;
            rule: string;
            sure: number | boolean;
            titles: {
                [key: string]: string;
            };
            ways: {
                [key: string]: unknown;
            }[];
        };
        CuratorLook: {
            at: string;
            counts: {
                [key: string]: number;
            };
            findings: number;
            memories: number;
            score: number | null;
        };
        DecisionView: {
            category: string;
            choice: string;
            id: string;
            paths: string[];
            question: string;
            rationale: string;
            rejected: components["schemas"]["RejectedOptionView-Output"][];
            scope: "workspace" | "user" | "team";
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            supersededBy: string | null;
            supersedes: string[];
            tags: string[];
            timestamp: string;
            title: string;
            validFrom: string;
            validUntil: string;
        };
        DiskRow: {
            bytes: number;
            files: number;
            part: string;
        };
        DismissFindingsBody: {
            findings: string[];
        };
        EditCandidateBody: {
            fields?: {
                [key: string]: string | string[];
            } | null;
            markdown?: string | null;
            sha256?: string | null;
        };
        EditMemoryBody: {
            fields?: {
                [key: string]: string | string[];
            } | null;
            markdown?: string | null;
            sha256?: string | null;
        };
        EditRow: {
            asked: string;
            at: string;
            client: string;
            event: string;
            goal: string;
            model: string;
            run: string;
            session: string;
            task: string;
            tool: string;
            what: string;
        };
        EvidenceRow: {
            event: string;
            quote: string;
        };
        FailureView: {
            attempts: number;
            context: string;
            description: string;
            errorType: string;
            id: string;
            paths: string[];
            rootCause: string;
            scope: "workspace" | "user" | "team";
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            tags: string[];
            timestamp: string;
            title: string;
        };
        FetchBody: {
            paths: string[];
        };
        FetchedView: {
            files: components["schemas"]["SharedBytes"][];
            looked: number;
        };
        FieldError: {
            where: string;
            why: string;
        };
        FileActivityView: {
            changes: number;
            last: string;
            path: string;
            sessions: unknown[];
        };
        FilePreview: {
            path: string;
            text: string;
        };
        FindingRow: {
            check: string;
            mendable: boolean;
            problem: string;
            remedy: string;
        };
        ForgetBody: {
            because?: string;
            dryRun?: boolean;
            ids?: string[];
            lines?: string[];
            subject?: string;
            text?: string;
        };
        ForgottenView: {
            events: number;
            files: number;
            found: string[];
            logLines: number;
            memories: string[];
            records: number;
            rows: number;
            size: number;
            unreachable: string[];
        };
        GraphEdge: {
            kind: string;
            source: string;
            target: string;
            why: string;
        };
        GraphNode: {
            degree: number;
            id: string;
            kind: string;
            status: string;
            title: string;
            type: string;
        };
        GraphView: {
            edges: components["schemas"]["GraphEdge"][];
            more: number;
            nodes: components["schemas"]["GraphNode"][];
        };
        GuardRow: {
            action: string;
            client: string;
            rule: string;
            session: string;
            tool: string;
            ts: string;
            why: string;
        };
        HitLaneView: {
            rank: number;
            score: number;
            why: string;
        };
        HitView: {
            event: string;
            id: string;
            kind: string;
            lanes: {
                [key: string]: components["schemas"]["HitLaneView"];
            };
            memory: components["schemas"]["MemoryRow"] | null;
            path: string;
            score: number;
            session: string;
            snippet: string;
            stale: string;
            status: string;
            title: string;
            ts: string;
            type: string;
            weak: boolean;
        };
        IndexState: {
            bytes: number;
            candidates: number;
            embedder: string;
            memories: number;
            vectors: number;
            version: string;
        };
        InjectionEventView: {
            agent: string;
            at: string;
            cause: string;
            memories: components["schemas"]["MemoryInjectionView"][];
            prompt: string;
            text: string;
            tokens: number;
            ts: string;
            withheld: boolean;
        };
        InjectionMarkView: {
            always: boolean;
            id: string;
            irrelevant: number;
            mark: string;
            marked: string;
            wrong: boolean;
        };
        JournalState: {
            bytes: number;
            checkedAt: string;
            lastEvent: string;
            ok: boolean | null;
            records: number;
            segments: number;
        };
        LastBatchView: {
            at: string;
            id: string;
            ids: string[];
            verb: string;
        };
        LearningView: {
            category: string;
            confidence: number | null;
            fact: string;
            id: string;
            paths: string[];
            scope: "workspace" | "user" | "team";
            source: string;
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            tags: string[];
            timestamp: string;
            title: string;
        };
        LeftOutView: {
            id: string;
            title: string;
            type: string;
            why: string;
        };
        LinkKeyBody: {
            key: string;
        };
        LogDay: {
            day: string;
            days: string[];
            lines: {
                [key: string]: unknown;
            }[];
        };
        MarkInjectionBody: {
            session?: string;
            verdict: "wrong" | "irrelevant" | "always" | "none";
        };
        MemoryChangeView: {
            author: string;
            commit: string;
            fields: {
                [key: string]: [
                    unknown,
                    unknown
                ];
            };
            subject: string;
            what: string;
            when: string;
        };
        MemoryCountsView: {
            allowed: boolean;
            assumptionCount: number;
            badge: string;
            candidateCount: number;
            conflictCount: number;
            decisionCount: number;
            failureCount: number;
            invariantCount: number;
            lastEvent: string;
            learningCount: number;
            patternCount: number;
            restart: string[];
            supersededCount: number;
            teamDecisionCount: number;
            userCount: number;
        };
        MemoryDetail: {
            asOf: components["schemas"]["AsOfView"] | null;
            evidence: components["schemas"]["QuotedEvidenceView"][];
            life: components["schemas"]["MemoryLifeView"] | null;
            markdown: string;
            memory: components["schemas"]["MemoryView"];
            related: components["schemas"]["MemoryRow"][];
            relations: components["schemas"]["RelationView"][];
            use: components["schemas"]["MemoryUseView"];
        };
        MemoryInjectionView: {
            always: boolean;
            cameOfIt: string;
            id: string;
            irrelevant: number;
            marked: string;
            now: string;
            status: string;
            title: string;
            tokens: number;
            type: string;
            why: string;
            wrong: boolean;
        };
        MemoryLifeView: {
            changes: components["schemas"]["MemoryChangeView"][];
            holds: boolean;
            note: string;
            supersededBy: string | null;
            until: string;
            validFrom: string;
            why: string;
        };
        MemoryRow: {
            attempts: number | null;
            category: string;
            confidence: number | null;
            id: string;
            paths: string[];
            scope: "workspace" | "user" | "team";
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            supersededBy: string | null;
            tags: string[];
            title: string;
            type: "decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern";
            updated: string;
            uses: number;
            validFrom: string;
            validUntil: string;
        };
        MemoryStatsView: {
            avoided: number;
            broken: number;
            contradicted: number;
            hitRate: components["schemas"]["ShareView"] | null;
            holdout: {
                [key: string]: unknown;
            } | null;
            ignored: number;
            memories: components["schemas"]["UsedMemoryView"][];
            repeated: number;
            sessions: number;
            since: string | null;
            tokens: number;
            told: number;
            used: number;
            weeks: components["schemas"]["WeekUseView"][];
        };
        MemoryType: "decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern";
        MemoryUseView: {
            avoided: number;
            contradicted: number;
            ignored: number;
            last: string;
            repeated: number;
            sessions: number;
            tokens: number;
            used: number;
        };
        MemoryView: {
            attempts: number | null;
            because: string;
            body: string;
            category: string;
            choice: string;
            cites: components["schemas"]["CiteRow"][];
            confidence: number | null;
            context: string;
            description: string;
            enforce: {
                [key: string]: unknown;
            };
            errorMessage: string;
            errorType: string;
            evidence: components["schemas"]["EvidenceRow"][];
            extra: {
                [key: string]: unknown;
            };
            fact: string;
            id: string;
            line: number;
            notices: string[];
            path: string;
            paths: string[];
            question: string;
            rationale: string;
            rejected: components["schemas"]["RejectedOptionView-Output"][];
            rootCause: string;
            saidBy: "user" | "agent" | "tool";
            scope: "workspace" | "user" | "team";
            sha256: string;
            source: string;
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            subject: string;
            supersededBy: string | null;
            supersedes: string[];
            tags: string[];
            timestamp: string;
            title: string;
            type: "decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern";
            updated: string;
            validFrom: string;
            validUntil: string;
        };
        MergeBody: {
            ids: string[];
            into?: string;
        };
        NewMemoryBody: {
            because?: string;
            candidate?: boolean;
            category?: string;
            choice?: string;
            cites?: string[];
            errorType?: string;
            fact?: string;
            paths?: string[];
            question?: string;
            rejected?: components["schemas"]["RejectedOptionView-Input"][];
            rootCause?: string;
            scope?: "" | "workspace" | "user";
            subject?: string;
            supersedes?: string[];
            tags?: string[];
            text: string;
            title?: string;
            type: "decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern";
        };
        NewRatingBody: {
            comment?: string;
            rating: number;
            session?: string;
        };
        NewRunBody: {
            goal: string;
            lens?: string | null;
            model?: string | null;
            planner?: ("harmonic" | "artifact") | null;
            planOnly?: boolean;
            resume?: string | null;
            trust?: ("read_only" | "ask" | "workspace" | "full") | null;
        };
        NewSettingBody: {
            file?: "user" | "project";
            sha256?: string | null;
            value: string | null;
        };
        NewTodoBody: {
            text: string;
        };
        NewWorkspaceBody: {
            init?: boolean;
            path: string;
        };
        PackBody: {
            asOf?: string;
            budget?: number;
            explain?: boolean;
            goal: string;
            path?: string;
            task?: string;
        };
        PackItem: {
            drift: string;
            id: string;
            repeats: boolean;
            stale: boolean;
            text: string;
            unconfirmed: boolean;
            why: string;
        };
        PackView: {
            constraints: components["schemas"]["PackItem"][];
            deadEnds: components["schemas"]["PackItem"][];
            dropped: number;
            facts: components["schemas"]["PackItem"][];
            learnings: components["schemas"]["PackItem"][];
            leftOut: components["schemas"]["LeftOutView"][];
            patterns: components["schemas"]["PackItem"][];
            prompt: string;
            teamDecisions: components["schemas"]["PackItem"][];
            tokens: number;
        };
        PageSessionView: {
            name: string;
            rights: string[];
            token: string;
        };
        PeriodKind: "week" | "month" | "all";
        ProblemDetails: {
            conflicts?: components["schemas"]["RelationView"][] | null;
            detail: string;
            errors?: components["schemas"]["FieldError"][] | null;
            hint?: string | null;
            instance: string;
            run?: string | null;
            status: number;
            title: string;
            type: string;
        };
        ProblemRow: {
            hint: string;
            line: number | null;
            path: string;
            reason: string;
        };
        ProjectContextView: {
            entryPoints: string[];
            framework: string | null;
            keyFiles: components["schemas"]["FilePreview"][];
            name: string;
            notes: string[];
            parts: components["schemas"]["ProjectPartView"][];
            path: string;
            tree: string;
            type: string;
        };
        ProjectPartView: {
            folder: string;
            framework: string;
            kind: string;
        };
        PurgeMarksBody: {
            marks: string[];
        };
        PurgeMarksView: {
            marks: string[];
        };
        QuotedEvidenceView: {
            at: string;
            client: string;
            event: string;
            missing: string;
            quote: string;
            session: string;
            turns: components["schemas"]["TurnRow"][];
        };
        RatingView: {
            comment: string;
            rating: number;
            session: string;
            source: string;
            ts: string;
        };
        RecordPageView: {
            head: {
                [key: string]: unknown;
            };
            name: string;
            path: string;
            text: string;
        };
        RejectBody: {
            because?: string;
        };
        "RejectedOptionView-Input": {
            option: string;
            reason?: string;
        };
        "RejectedOptionView-Output": {
            option: string;
            reason: string;
        };
        RelationView: {
            id: string;
            ownText: string;
            reason: string;
            relation: string;
            rule: string;
            status: "candidate" | "accepted" | "rejected" | "superseded" | "deprecated";
            sure: number;
            text: string;
            title: string;
        };
        ResolveBody: {
            against: string;
            answer: components["schemas"]["ConflictAnswerBody"];
        };
        ReviewResultView: {
            accepted: components["schemas"]["AcceptedRow"][];
            blocked: components["schemas"]["BlockedRow"][];
            memory: components["schemas"]["MemoryView"] | null;
            merged: string[];
            rejected: string[];
            restart: string[];
            settled: components["schemas"]["SettledView"][];
        };
        RunDetail: {
            approach: string;
            approvals: components["schemas"]["ApprovalRow"][];
            budget: {
                [key: string]: unknown;
            };
            canResume: boolean;
            canUndo: boolean;
            costUsd: number | null;
            criteria: unknown[];
            files: string[];
            gates: unknown[];
            memoryAdded: string[];
            memoryUsed: string[];
            phase: string;
            rejectedPlans: unknown[];
            run: components["schemas"]["RunRow"];
            stance: string;
            tasks: components["schemas"]["TaskRow"][];
            why: string;
        };
        RunDiff: {
            diff: string;
            files: string[];
            runId: string;
        };
        RunEvent: {
            cursor: string;
            data: {
                [key: string]: unknown;
            };
            run: string;
            ts: string;
            type: string;
        };
        RunRow: {
            completedAt: string | null;
            goal: string;
            here: boolean;
            model: string;
            runId: string;
            startedAt: string;
            status: "running" | "planned" | "complete" | "failed" | "cancelled" | "open" | "interrupted";
            tasks: number;
            tasksCompleted: number;
            trust: string;
        };
        RunSnapshot: {
            events: components["schemas"]["RunEvent"][];
            run: components["schemas"]["RunRow"];
        };
        SaidBy: "user" | "agent" | "tool";
        SearchBody: {
            asOf?: string;
            limit?: number;
            path?: string;
            place?: "memory" | "turns" | "runs" | "log" | "research" | "all";
            query: string;
            superseded?: boolean;
            types?: ("decision" | "assumption" | "invariant" | "failure" | "learning" | "pattern")[];
        };
        SearchResultView: {
            hits: components["schemas"]["HitView"][];
            query: string;
            searched: {
                [key: string]: unknown;
            };
        };
        SentEventBody: {
            client: string;
            data?: {
                [key: string]: unknown;
            };
            key: string;
            name: string;
            session?: string;
            ts?: string;
        };
        SentEventsBody: {
            events: components["schemas"]["SentEventBody"][];
        };
        ServedTeam: {
            name: string;
            workspace: string;
        };
        ServerHealthView: {
            started: string;
            status: "ok" | "stopping";
            version: string;
            workspaces: number;
        };
        SessionDetail: {
            candidates: string[];
            client: string;
            id: string;
            last: string;
            started: string;
            summary: string;
            title: string;
            total: number;
            turns: components["schemas"]["TurnRow"][];
        };
        SessionInjectionsView: {
            client: string;
            session: string;
            tellings: components["schemas"]["InjectionEventView"][];
            tokens: number;
        };
        SessionSummaryView: {
            branches: number;
            client: string;
            id: string;
            injectedTokens: number;
            last: string;
            started: string;
            title: string;
            turns: number;
        };
        SettingPlace: {
            file: "user" | "project";
            locked: string;
            path: string;
            sha256: string;
            value: boolean | number | string | null;
        };
        SettingRow: {
            about: string;
            choices: string[];
            default: boolean | number | string | string[] | null;
            files: components["schemas"]["SettingPlace"][];
            key: string;
            kind: string;
            origin: string;
            repository: boolean;
            source: "default" | "user" | "project" | "environment" | "flag";
            value: boolean | number | string | string[] | null;
            variable: string;
        };
        SettledView: {
            how: "repeats" | "taken back";
            id: string;
            reason: string;
            title: string;
        };
        SharedBytes: {
            data: string;
            path: string;
            sha256: string;
        };
        SharedFile: {
            author: string;
            path: string;
            sha256: string;
        };
        SharedState: {
            files: components["schemas"]["SharedFile"][];
            mark: string;
            name: string;
        };
        ShareView: {
            high: number;
            low: number;
            value: number;
        };
        SnapshotMessage: {
            cursor: string;
            data: components["schemas"]["WorkspaceSnapshot"] | components["schemas"]["RunSnapshot"];
            ts: string;
            type: "snapshot";
        };
        Sort: "updated" | "title" | "uses" | "confidence";
        StartedRunView: {
            runId: string;
        };
        StatusAsked: "valid" | "accepted" | "superseded" | "deprecated" | "rejected" | "all";
        StreamMessageView: {
            cursor: string;
            data: {
                [key: string]: unknown;
            };
            ts: string;
            type: string;
        };
        SwapBody: {
            data: string | null;
            path: string;
            then: string;
        };
        SwappedView: {
            now: string;
        };
        SwapsBody: {
            swaps: components["schemas"]["SwapBody"][];
        };
        SynthesisView: {
            found: {
                [key: string]: unknown;
            };
            path: string | null;
            period: {
                [key: string]: unknown;
            };
        };
        TakenEventsView: {
            fresh: number;
        };
        TaskRow: {
            dependsOn: string[];
            description: string;
            durationMs: number;
            error: string;
            files: string[];
            id: string;
            mode: string;
            produces: string[];
            state: "waiting" | "running" | "done" | "failed";
            summary: string;
            targetPath: string;
        };
        TeamMemoryView: {
            decisions: components["schemas"]["DecisionView"][];
            failures: components["schemas"]["FailureView"][];
            patterns: components["schemas"]["MemoryView"][];
        };
        TicketView: {
            expires: string;
            ticket: string;
        };
        TimelineItem: {
            client: string;
            id: string;
            kind: "event" | "memory";
            session: string;
            title: string;
            ts: string;
            type: string;
        };
        TodoChangeBody: {
            verb: "done" | "reopen" | "drop";
        };
        TodoView: {
            by: string;
            id: string;
            state: string;
            text: string;
            ts: string;
        };
        TokenRow: {
            created: string;
            lastUsed: string;
            name: string;
            rights: ("read" | "review" | "run")[];
        };
        TurnRow: {
            agent: string;
            call: string;
            choices: components["schemas"]["UserChoiceView"][];
            extra: {
                [key: string]: unknown;
            };
            failed: boolean;
            foreign: boolean;
            id: string;
            input: {
                [key: string]: unknown;
            };
            kind: string;
            model: string;
            output: string;
            parent: string;
            refusal: string;
            text: string;
            tool: string;
            ts: string;
        };
        UndoBody: {
            batch?: string;
        };
        UndoneBatchView: {
            at: string;
            id: string;
            ids: string[];
            verb: string;
        };
        UndoneRunView: {
            restored: string[];
            runId: string;
        };
        UndoRunBody: {
            force?: boolean;
        };
        UsedMemoryView: {
            avoided: number;
            contradicted: number;
            id: string;
            ignored: number;
            last: string;
            repeated: number;
            sessions: number;
            title: string;
            tokens: number;
            type: string;
            used: number;
        };
        UserChoiceView: {
            choice: string;
            note: string;
            options: string[];
            question: string;
        };
        VerificationView: {
            ok: boolean;
            problems: string[];
            records: number;
        };
        WeekUseView: {
            sessions: number;
            tokens: number;
            told: number;
            used: number;
            week: string;
        };
        WorkRow: {
            isc: {
                [key: string]: unknown;
            };
            meta: {
                [key: string]: unknown;
            };
            name: string;
            path: string;
        };
        WorkspaceHealth: {
            clients: components["schemas"]["ClientRow"][];
            conflicts: components["schemas"]["ConflictRow"][];
            curator: components["schemas"]["CuratorLook"] | null;
            disk: components["schemas"]["DiskRow"][];
            distilWaiting: number;
            failuresToday: number;
            findings: components["schemas"]["FindingRow"][];
            freeBytes: number;
            holding: number;
            index: components["schemas"]["IndexState"];
            journal: components["schemas"]["JournalState"];
            ok: boolean;
            problems: components["schemas"]["ProblemRow"][];
            uncompared: number;
        };
        WorkspaceRow: {
            activeRun: string | null;
            allowed: boolean;
            id: string;
            name: string;
            open: boolean;
            path: string;
            there: boolean;
            waiting: number | null;
        };
        WorkspaceSnapshot: {
            activeRuns: components["schemas"]["RunRow"][];
            counts: components["schemas"]["MemoryCountsView"];
            mission: string;
            nextAction: string;
            waiting: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ServerHealthView"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ServerHealthView"];
                };
            };
        };
    };
    whoAsks: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CallerView"];
                };
            };
        };
    };
    contract: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    beginSession: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkKeyBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PageSessionView"];
                };
            };
        };
    };
    getServedTeam: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ServedTeam"];
                };
            };
        };
    };
    issueTicket: {
        parameters: {
            query?: never;
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["TicketView"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TokenRow"][];
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                cursor?: string;
                days?: number;
                limit?: number;
                path?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["FileActivityView"][];
                };
            };
        };
    };
    getBriefing: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["BriefingView"] | null;
                };
            };
        };
    };
    listNotes: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["BufferNoteView"][];
                };
            };
        };
    };
    listCandidates: {
        parameters: {
            query?: {
                cursor?: string;
                expired?: boolean;
                limit?: number;
                minConfidence?: number;
                rejected?: boolean;
                saidBy?: components["schemas"]["SaidBy"][];
                session?: string;
                type?: components["schemas"]["MemoryType"][];
                words?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CandidateView"][];
                };
            };
        };
    };
    reviewMany: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkReviewBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ReviewResultView"];
                };
            };
        };
    };
    getCandidate: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CandidateDetail"];
                };
            };
        };
    };
    acceptCandidate: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ReviewResultView"];
                };
            };
        };
    };
    editCandidate: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditCandidateBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    mergeCandidate: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ReviewResultView"];
                };
            };
        };
    };
    rejectCandidate: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RejectBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ReviewResultView"];
                };
            };
        };
    };
    resolveConflict: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ReviewResultView"];
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                since?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ChangeRow"][];
                };
            };
        };
    };
    listClients: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ClientRow"][];
                };
            };
        };
    };
    listConflicts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ConflictRow"][];
                };
            };
        };
    };
    getContext: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ProjectContextView"];
                };
            };
        };
    };
    getCost: {
        parameters: {
            query?: {
                days?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CostView"];
                };
            };
        };
    };
    lookAtMemory: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CurationView"];
                };
            };
        };
    };
    applyFindings: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyFindingsBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AppliedFindingsView"];
                };
            };
        };
    };
    dismissFindings: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DismissFindingsBody"];
            };
        };
        responses: {
            204: {
            };
        };
    };
    listFailureRecords: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RecordPageView"][];
                };
            };
        };
    };
    purge: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgetBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ForgottenView"];
                };
            };
        };
    };
    getGraph: {
        parameters: {
            query?: {
                limit?: number;
                types?: components["schemas"]["MemoryType"][];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["GraphView"];
                };
            };
        };
    };
    getGraphAround: {
        parameters: {
            query?: {
                depth?: number;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["GraphView"];
                };
            };
        };
    };
    getWorkspaceHealth: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["WorkspaceHealth"];
                };
            };
        };
    };
    verifyWorkspace: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["VerificationView"];
                };
            };
        };
    };
    getInjections: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SessionInjectionsView"];
                };
            };
        };
    };
    listArtifacts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ArtifactRow"][];
                };
            };
        };
    };
    getArtifact: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["ArtifactView"];
                };
            };
        };
    };
    getLog: {
        parameters: {
            query?: {
                day?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["LogDay"];
                };
            };
        };
    };
    getCounts: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryCountsView"];
                };
            };
        };
    };
    remember: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemoryBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
            201: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    getMemory: {
        parameters: {
            query?: {
                asOf?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryDetail"];
                };
            };
        };
    };
    editMemory: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditMemoryBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    forgetMemory: {
        parameters: {
            query?: never;
        };
        responses: {
            204: {
            };
        };
    };
    markInjection: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkInjectionBody"];
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["InjectionMarkView"];
                };
            };
        };
    };
    undoInjectionMark: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["InjectionMarkView"];
                };
            };
        };
    };
    listAssumptions: {
        parameters: {
            query?: {
                asOf?: string;
                cursor?: string;
                limit?: number;
                path?: string;
                status?: components["schemas"]["StatusAsked"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"][];
                };
            };
        };
    };
    getAssumption: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                asOf?: string;
                cursor?: string;
                limit?: number;
                path?: string;
                status?: components["schemas"]["StatusAsked"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["DecisionView"][];
                };
            };
        };
    };
    getDecision: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    listMemory: {
        parameters: {
            query?: {
                asOf?: string;
                at?: number;
                cursor?: string;
                limit?: number;
                path?: string;
                q?: string;
                scope?: "" | "workspace" | "user" | "team";
                sort?: components["schemas"]["Sort"];
                status?: components["schemas"]["StatusAsked"];
                tag?: string[];
                type?: components["schemas"]["MemoryType"][];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryRow"][];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                asOf?: string;
                cursor?: string;
                limit?: number;
                path?: string;
                status?: components["schemas"]["StatusAsked"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["FailureView"][];
                };
            };
        };
    };
    getFailure: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    listInvariants: {
        parameters: {
            query?: {
                asOf?: string;
                cursor?: string;
                limit?: number;
                path?: string;
                status?: components["schemas"]["StatusAsked"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"][];
                };
            };
        };
    };
    getInvariant: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    listLearnings: {
        parameters: {
            query?: {
                asOf?: string;
                cursor?: string;
                limit?: number;
                path?: string;
                status?: components["schemas"]["StatusAsked"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["LearningView"][];
                };
            };
        };
    };
    getLearning: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    listPatterns: {
        parameters: {
            query?: {
                asOf?: string;
                cursor?: string;
                limit?: number;
                path?: string;
                status?: components["schemas"]["StatusAsked"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"][];
                };
            };
        };
    };
    getPattern: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryView"];
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TeamMemoryView"];
                };
            };
        };
    };
    pack: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PackBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PackView"];
                };
            };
        };
    };
    listRatings: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RatingView"][];
                };
            };
        };
    };
    addRating: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRatingBody"];
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["RatingView"];
                };
            };
        };
    };
    listResearch: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                words?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RecordPageView"][];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRunBody"];
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": components["schemas"]["StartedRunView"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
        };
        responses: {
            204: {
            };
        };
    };
    answerApproval: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalBody"];
            };
        };
        responses: {
            204: {
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                status?: ("running" | "planned" | "complete" | "failed" | "cancelled" | "open" | "interrupted") | null;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RunRow"][];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
        };
    };
    getRunDiff: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RunDiff"];
                };
            };
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RunEvent"][];
                };
            };
        };
    };
    undoRun: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoRunBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["UndoneRunView"];
                };
            };
        };
    };
    listActiveRuns: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["RunRow"][];
                };
            };
        };
    };
    search: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SearchResultView"];
                };
            };
        };
    };
    listVerdicts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["GuardRow"][];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                client?: string;
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SessionSummaryView"][];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                turn?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SessionDetail"];
                };
            };
        };
    };
    listSettings: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SettingRow"][];
                };
            };
        };
    };
    changeSetting: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSettingBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SettingRow"];
                };
            };
        };
    };
    getStats: {
        parameters: {
            query?: {
                days?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["MemoryStatsView"];
                };
            };
        };
    };
    getShared: {
        parameters: {
            query?: {
                since?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SharedState"];
                };
            };
        };
    };
    sendEvents: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SentEventsBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TakenEventsView"];
                };
            };
        };
    };
    fetchShared: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FetchBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["FetchedView"];
                };
            };
        };
    };
    getSharedFile: {
        parameters: {
            query: {
                path: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SharedBytes"];
                };
            };
        };
    };
    getPurged: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PurgeMarksView"];
                };
            };
        };
    };
    sendPurged: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurgeMarksBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PurgeMarksView"];
                };
            };
        };
    };
    swapShared: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwapBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SwappedView"];
                };
            };
        };
    };
    swapAllShared: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwapsBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["AllSwappedView"];
                };
            };
        };
    };
    getSynthesis: {
        parameters: {
            query?: {
                day?: string;
                kind?: components["schemas"]["PeriodKind"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SynthesisView"];
                };
            };
        };
    };
    getTimeline: {
        parameters: {
            query?: {
                after?: number;
                around?: string;
                before?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TimelineItem"][];
                };
            };
        };
    };
    listTodos: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TodoView"][];
                };
            };
        };
    };
    addTodo: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTodoBody"];
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": components["schemas"]["TodoView"];
                };
            };
        };
    };
    changeTodo: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TodoChangeBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["TodoView"];
                };
            };
        };
    };
    getLastBatch: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["LastBatchView"];
                };
            };
        };
    };
    undo: {
        parameters: {
            query?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UndoBody"] | null;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["UndoneBatchView"];
                };
            };
        };
    };
    listWork: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["WorkRow"][];
                };
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["WorkspaceRow"][];
                };
            };
        };
    };
    addWorkspace: {
        parameters: {
            query?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWorkspaceBody"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["WorkspaceRow"];
                };
            };
            201: {
                content: {
                    "application/json": components["schemas"]["WorkspaceRow"];
                };
            };
        };
    };
    figures: {
        parameters: {
            query?: never;
        };
        responses: {
            200: {
                content: {
                    "application/json": unknown;
                    "text/plain": string;
                };
            };
        };
    };
}
