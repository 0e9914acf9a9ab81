def run(n):
    composite = [False] * n
    count = 0
    for i in range(2, n):
        if composite[i]:
            continue
        count += 1
        j = i * i
        while j < n:
            composite[j] = True
            j += i
    return count
